import type { ControlledClock } from "../clock/mock-clock.js";
import type { Account } from "../service/account.js";
import type { Guesses } from "../service/guesses.js";
import { type KeyHolder, KeyRegistry, maskKey } from "../service/keys.js";
import { errorReply, type Reply, textReply } from "../service/reply.js";
import { findRoute, type OperationName, type Route } from "../service/routes.js";
import { Service } from "../service/service.js";
import { Faults } from "./faults.js";
import { injectFault } from "./inject-fault.js";
import { Journal, type JournalRow, keptText, parseText } from "./journal.js";

/** A request to the mock, however it came. */
export interface MockRequest {
  method: string;
  /** Below the base URL, as sent. */
  path: string;
  /** A header of the request, by its name in lower case. */
  header(name: string): string | null | undefined;
  text: string;
  /** Aborts when the caller no longer waits for the answer. */
  signal: AbortSignal | undefined;
  /** Whether the caller waits on a clock other than the mock's. */
  hasOwnClock: boolean;
}

/** What a request turned out to be. */
interface ReadRequest extends MockRequest {
  route: Route | undefined;
  operation: OperationName | undefined;
  /** Parsed if it is JSON. */
  body: unknown;
  key: string | undefined;
  /** Undefined if the key is not valid. */
  holder: KeyHolder<Account> | undefined;
}

/** Passes requests through the key check, the journal, the faults, the service and the check of a strict mock. */
export class Engine {
  readonly registry = new KeyRegistry<Account>();
  readonly journal = new Journal();
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
   * Answers a request. It has reached the service, and is in the journal, when this returns its promise, unless a fault
   * keeps it from that. A virtual clock does not move before the reply, except while a fault waits.
   *
   * Rejects with the signal's reason on abort, and in a strict mock with an error that names what had to be filled in.
   */
  async handle(request: MockRequest): Promise<Reply> {
    const read = this.#read(request);
    const row = this.journal.add(this.#rowOf(read));
    try {
      const reply = await this.#reply(read, row);
      row.guesses = reply.guesses;
      if (!reply.isExempt) this.guesses.check(reply.guesses, read.operation);
      if (reply.status !== 0) this.#keepAnswer(row, reply, read.key);
      return reply;
    } finally {
      this.journal.open.delete(row);
    }
  }

  #read(request: MockRequest): ReadRequest {
    const route = findRoute(request.method, request.path);
    const key = presentedKey(request);
    const holder = key === undefined ? undefined : this.registry.find(key);
    return {
      ...request,
      route,
      operation: route?.operation.name,
      body: parseBody(request.text),
      key,
      holder,
    };
  }

  #rowOf({ operation, method, path, key, holder, text, body }: ReadRequest): JournalRow {
    // JSON may contain a key with escaped characters; serialising it again removes such escapes.
    const plain = text.includes("\\") && body !== text ? JSON.stringify(body) : text;
    const shown = this.registry.masked(plain, key);
    return {
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
    };
  }

  #reply(read: ReadRequest, row: JournalRow): Reply | Promise<Reply> {
    const { operation, holder, signal } = read;
    if (isForDocument(read)) return this.#publishedDocument();
    if (!holder) return this.#unauthorized(read);
    const apply = (isLost: boolean) => {
      const reply = this.#service.apply({ ...read, ...holder, isLost });
      row.credits = reply.credits;
      return reply;
    };
    const fault = this.faults.take(operation, holder.account);
    return fault ? injectFault(fault, { operation, apply, signal }, this) : apply(false);
  }

  #keepAnswer(row: JournalRow, { status, headers, text }: Reply, key: string | undefined): void {
    const masked = (value: string) => this.registry.masked(value, key);
    const shown = Object.entries(headers).map(([name, value]) => [name, masked(value)]);
    row.status = status;
    row.durationMs = this.clock.now() - row.time;
    row.responseHeaders = Object.fromEntries(shown);
    row.responseText = masked(keptText(text));
  }

  /** The only error that the service documents, except for the format of its body. */
  #unauthorized({ key, operation }: ReadRequest): Reply {
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
