import type { ControlledClock } from "../clock/mock-clock.js";
import type { Account } from "../service/account.js";
import type { Guesses } from "../service/guesses.js";
import { KeyRegistry, maskKey } from "../service/keys.js";
import { errorReply, type Reply, textReply } from "../service/reply.js";
import { findRoute, type OperationName } from "../service/routes.js";
import { type AccountRequest, Service } from "../service/service.js";
import { Faults } from "./faults.js";
import { injectFault } from "./inject-fault.js";
import { Journal, type JournalRow, keptText, parseText } from "./journal.js";

/** The parts of a request that the service reads. Carriers create it. */
export interface MockRequest {
  method: string;
  /** Below the base URL, as sent. */
  path: string;
  header(name: string): string | null | undefined;
  text: string;
  /** The signal with which the caller aborts the request; read only if the request has to wait. */
  signal(): AbortSignal | undefined;
  /** Whether the caller waits on a clock other than the mock's. */
  hasOwnClock: boolean;
}

/** Passes requests through the key check, the journal, the faults, the service and the check of a strict mock. */
export class Engine {
  readonly journal = new Journal();
  readonly registry = new KeyRegistry<Account>();
  readonly faults = new Faults();
  readonly #service: Service;

  constructor(
    readonly clock: ControlledClock,
    readonly guesses: Guesses,
    baseUrl: string,
  ) {
    this.#service = new Service(guesses, baseUrl);
  }

  /**
   * Passes a request to the service and returns the reply: as a promise only for the document or if a fault applies,
   * because a promise costs more than the reply. A virtual clock does not move meanwhile, except while a fault waits.
   *
   * @throws or rejects with the signal's reason on abort; in a strict mock, with an error that names the guesses
   */
  handle(request: MockRequest): Reply | Promise<Reply> {
    const { method, path, text, hasOwnClock } = request;
    const route = findRoute(method, path);
    const operation = route?.operation.name;
    const body = parseBody(text);
    const key = presentedKey(request);
    const holder = key === undefined ? undefined : this.registry.find(key);
    // JSON may contain a key with escaped characters; serialising it again removes such escapes.
    const plain = text.includes("\\") && body !== text ? JSON.stringify(body) : text;
    const shown = this.registry.masked(plain, key);
    const entry = this.journal.add({
      operation,
      time: this.clock.now(),
      method,
      path: this.registry.masked(path, key),
      key: key && maskKey(key),
      keyId: holder?.keyId,
      account: holder?.account.id,
      body: shown === plain ? body : parseBody(shown),
      status: undefined,
      durationMs: undefined,
      responseHeaders: undefined,
      responseText: "",
      credits: 0,
      guesses: [],
    });
    const finish = (reply: Reply) => {
      entry.guesses = reply.guesses;
      if (!reply.isExempt) this.guesses.check(reply.guesses, operation);
      if (reply.status !== 0) this.#keepAnswer(entry, reply, key);
      return reply;
    };
    const reply = isForDocument(request)
      ? this.#publishedDocument()
      : holder
        ? this.#apply(
            { route, body, ...holder, hasOwnClock, header: (name) => request.header(name) },
            request,
            entry,
          )
        : this.#unauthorized(key, operation);
    if (!("then" in reply)) return finish(reply);
    this.journal.open.add(entry);
    return reply.then(finish).finally(() => this.journal.open.delete(entry));
  }

  #apply(
    asked: Omit<AccountRequest, "isLost">,
    { signal }: MockRequest,
    entry: JournalRow,
  ): Reply | Promise<Reply> {
    const apply = (isLost: boolean) => {
      const reply = this.#service.apply({ ...asked, isLost });
      entry.credits = reply.credits;
      return reply;
    };
    const { operation } = entry;
    const fault = this.faults.take(operation, asked.account);
    return fault ? injectFault(fault, { operation, apply, signal }, this) : apply(false);
  }

  #keepAnswer(entry: JournalRow, { status, headers, text }: Reply, key: string | undefined): void {
    entry.status = status;
    entry.durationMs = this.clock.now() - entry.time;
    const masked = (value: string) => this.registry.masked(value, key);
    const shown = Object.entries(headers).map(([name, value]) => [name, masked(value)]);
    entry.responseHeaders = Object.fromEntries(shown);
    entry.responseText = masked(keptText(text));
  }

  /** The only error that the service documents, except for the format of its body. */
  #unauthorized(key: string | undefined, operation: OperationName | undefined): Reply {
    const message =
      key === undefined
        ? `The API key is missing. Please send it as ${acceptedHeaders}.`
        : "The API key is invalid or was revoked.";
    const context = { status: 401, code: "unauthorized", message, operation } as const;
    return { ...errorReply(this.guesses, context), isExempt: true };
  }

  /** Loads the document only when it is requested. Loading counts as work, so a virtual clock stands still. */
  async #publishedDocument(): Promise<Reply> {
    const endWork = this.clock.work();
    const { documentText } = await import("../service/published-document.js").finally(endWork);
    return textReply(200, "application/json", documentText);
  }
}

/** The headers in which the service accepts keys. */
const acceptedHeaders = "`Authorization: Bearer <API_KEY>` or `x-api-key: <API_KEY>`";

/** The key that a request presents in either header; undefined if it has none. */
function presentedKey(request: MockRequest): string | undefined {
  const authorization = request.header("authorization");
  const bearer = authorization ? /^bearer +(\S+) *$/i.exec(authorization)?.[1] : undefined;
  return bearer ?? (request.header("x-api-key")?.trim() || undefined);
}

/** Whether a request is for the OpenAPI document, the only thing that needs no key. */
function isForDocument({ method, path }: MockRequest): boolean {
  return path === "/public/openapi.json" && (method === "GET" || method === "HEAD");
}

/** More levels than any body needs, and few enough for every recursion over one. Each takes two characters. */
const mostLevels = 1000;

/** Parses a body. One that is not JSON, or nested too deeply, remains a string, which no operation accepts. */
function parseBody(text: string): unknown {
  const body = parseText(text);
  return text.length > 2 * mostLevels && isDeeper(body, mostLevels) ? text : body;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}
