import { isRead } from "../../is-read.js";
import type { ControlledClock } from "../clock/mock-clock.js";
import { documentPath } from "../document-path.js";
import type { Account } from "../service/account.js";
import type { Guesses } from "../service/guesses.js";
import { type KeyHolder, KeyRegistry } from "../service/keys.js";
import { type Reply, refusalReply, textReply } from "../service/reply.js";
import { findRoute, type Route } from "../service/routes.js";
import { Service } from "../service/service.js";
import { Faults, injectFault } from "./faults.js";
import { Journal, type JournalRow, keptText, parseText } from "./journal.js";

/** A request to the mock, however it came. */
export interface MockRequest {
  method: string;
  /** Below the base URL, as sent. */
  path: string;
  /** A header of the request, by its name in lower case. */
  header(name: string): string | null | undefined;
  text: string;
  /** A signal that aborts when the caller no longer waits for the answer. Only faults need one. */
  signal(): AbortSignal | undefined;
  /** Whether the caller waits on a clock other than the mock's. */
  hasOwnClock: boolean;
}

/** Passes requests through the key check, the journal, the faults, the service and the check of a strict mock. */
export class Engine {
  readonly registry = new KeyRegistry<Account>();
  readonly journal = new Journal(this.registry);
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
   * Answers a request. When this returns its promise, the request is in the journal and, unless a fault prevents that,
   * has reached the service. A virtual clock does not move before the reply, except while a fault waits.
   *
   * Rejects with the signal's reason on abort. A strict mock rejects with an error that names what it would fill in.
   */
  async handle(request: MockRequest): Promise<Reply> {
    const { method, path, text } = request;
    const route = findRoute(method, path);
    const key = presentedKey(request);
    const holder = key === undefined ? undefined : this.registry.find(key);
    const row = this.journal.add({
      operation: route?.operation.name,
      time: this.clock.now(),
      method,
      path,
      key,
      keyId: holder?.keyId,
      account: holder?.account.id,
      text,
      status: undefined,
      durationMs: undefined,
      responseHeaders: undefined,
      responseText: "",
      credits: 0,
      guesses: [],
      recorded: [],
    });
    try {
      const reply = await this.#reply(request, route, holder, row);
      row.guesses = reply.guesses;
      row.recorded = reply.recorded;
      if (!reply.isExempt) this.guesses.check(reply.guesses, row.operation);
      if (reply.status !== 0) this.#keepAnswer(row, reply);
      return reply;
    } finally {
      this.journal.open.delete(row);
    }
  }

  #reply(
    request: MockRequest,
    route: Route | undefined,
    holder: KeyHolder<Account> | undefined,
    row: JournalRow,
  ): Reply | Promise<Reply> {
    const { operation } = row;
    if (isForDocument(request)) return this.#publishedDocument();
    if (!holder) return this.#unauthorized(row);
    const { header, text, hasOwnClock } = request;
    const apply = (isLost: boolean) => {
      // Its account was reset while the request was delayed.
      if (!this.journal.open.has(row)) return textReply(0, "", "");
      const body = parseText(text);
      const reply = this.#service.apply({ route, body, ...holder, header, hasOwnClock, isLost });
      row.credits = reply.credits;
      return reply;
    };
    const fault = this.faults.take(operation, holder.account);
    if (!fault) return apply(false);
    return injectFault(fault, { operation, apply, signal: request.signal() }, this);
  }

  #keepAnswer(row: JournalRow, { status, headers, text }: Reply): void {
    row.status = status;
    row.durationMs = this.clock.now() - row.time;
    row.responseHeaders = headers;
    row.responseText = keptText(text);
  }

  /** The error that the service documents in any case. */
  #unauthorized({ key, operation }: JournalRow): Reply {
    const reply =
      key === undefined
        ? refusalReply(this.guesses, "missingKey", operation, missingKey)
        : refusalReply(this.guesses, "wrongKey", operation, "The API key is invalid or was revoked.");
    return { ...reply, isExempt: true };
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
const missingKey = `The API key is missing. Please send it as ${acceptedHeaders}.`;

/** The key that a request presents in either header; undefined if it has none. */
function presentedKey(request: MockRequest): string | undefined {
  const authorization = request.header("authorization");
  const bearer = authorization ? /^bearer +(\S+) *$/i.exec(authorization)?.[1] : undefined;
  return bearer ?? (request.header("x-api-key")?.trim() || undefined);
}

/** Whether a request is for the OpenAPI document, the only thing that needs no key. */
function isForDocument({ method, path }: MockRequest): boolean {
  return path === documentPath && isRead(method);
}
