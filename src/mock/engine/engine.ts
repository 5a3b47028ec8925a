import type { ControlledClock } from "../clock/mock-clock.js";
import type { Account } from "../service/account.js";
import type { Guesses } from "../service/guesses.js";
import { KeyRegistry, maskKey } from "../service/keys.js";
import { errorReply, type Reply, textReply } from "../service/reply.js";
import { findRoute, type OperationName } from "../service/routes.js";
import { type AccountRequest, Service } from "../service/service.js";
import { Faults } from "./faults.js";
import { injectFault } from "./inject-fault.js";
import { Journal, type JournalEntry } from "./journal.js";

/** One request, as far as the service looks at it. Whoever carries requests to the mock makes these. */
export interface MockRequest {
  method: string;
  /** Below the base URL, as sent. */
  path: string;
  header(name: string): string | null | undefined;
  text: string;
  /** What ends the request when its caller gives it up; asked for only where the request has to wait. */
  signal(): AbortSignal | null | undefined;
  /** Whether the caller waits on a clock other than the mock's. */
  hasOwnClock: boolean;
}

/** The way of a request: journal, key, fault, service, and what a strict mock has to say about the answer. */
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
   * Carries a request to the service and its answer back: at once, save where a fault makes it wait, as a promise costs
   * more than the answer. The time of a virtual clock does not move meanwhile, but for what a fault waits for.
   *
   * @throws or rejects with the signal's reason on abort; in a strict mock, an error that names the guess an answer would rest on
   */
  handle(request: MockRequest): Reply | Promise<Reply> {
    const { method, path, text, hasOwnClock } = request;
    const route = findRoute(method, path);
    const operation = route?.operation.name;
    const body = parseBody(text);
    const key = presentedKey(request);
    const holder = key === undefined ? undefined : this.registry.find(key);
    // JSON may hold any character of a key as an escape; written anew, it does not.
    const plain = text.includes("\\") && body !== text ? JSON.stringify(body) : text;
    const shown = this.registry.masked(plain, key);
    const entry = this.journal.add({
      operation,
      time: this.clock.now(),
      method,
      path: this.registry.masked(path, key),
      key: key && maskKey(key),
      keyId: holder?.keyId,
      body: shown === plain ? body : parseBody(shown),
      status: undefined,
      credits: 0,
      guesses: [],
    });
    const finish = (reply: Reply) => {
      entry.guesses = reply.guesses;
      if (!reply.isExempt) this.guesses.check(reply.guesses, operation);
      entry.status = reply.status || undefined;
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
    entry: JournalEntry,
  ): Reply | Promise<Reply> {
    const apply = (isLost: boolean) => {
      const reply = this.#service.apply({ ...asked, isLost });
      entry.credits = reply.credits;
      return reply;
    };
    const { operation } = entry;
    const fault = this.faults.take(operation);
    return fault ? injectFault(fault, { operation, apply, signal }, this) : apply(false);
  }

  /** The one error that the service documents, but for the format of its body. */
  #unauthorized(key: string | undefined, operation: OperationName | undefined): Reply {
    const message =
      key === undefined
        ? `The API key is missing. Please send it as ${acceptedHeaders}.`
        : "The API key is invalid or was revoked.";
    const context = { status: 401, code: "unauthorized", message, operation } as const;
    return { ...errorReply(this.guesses, context), isExempt: true };
  }

  /** Loaded only when it is asked for; until then, it is being worked on. */
  async #publishedDocument(): Promise<Reply> {
    const endWork = this.clock.work();
    const { documentText } = await import("../service/published-document.js").finally(endWork);
    return textReply(200, "application/json", documentText);
  }
}

/** How the service wants its keys. */
const acceptedHeaders = "`Authorization: Bearer <API_KEY>` or `x-api-key: <API_KEY>`";

/** The key that a request presents in either header; undefined where it has none. */
function presentedKey(request: MockRequest): string | undefined {
  const authorization = request.header("authorization");
  const bearer = authorization ? /^bearer +(\S+) *$/i.exec(authorization)?.[1] : undefined;
  return bearer ?? (request.header("x-api-key")?.trim() || undefined);
}

/** The one thing that needs no key. */
function isForDocument({ method, path }: MockRequest): boolean {
  return path === "/public/openapi.json" && (method === "GET" || method === "HEAD");
}

/** What a body holds; one that is no JSON is a string, which no operation takes. */
function parseBody(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
