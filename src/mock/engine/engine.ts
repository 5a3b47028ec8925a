import type { ControlledClock } from "../clock/mock-clock.js";
import type { Account } from "../service/account.js";
import type { Guesses } from "../service/guesses.js";
import { type KeyHolder, KeyRegistry, maskKey } from "../service/keys.js";
import { errorReply, type Reply } from "../service/replies.js";
import { findRoute, type OperationName, type Route } from "../service/routes.js";
import { Service } from "../service/service.js";
import { Faults } from "./faults.js";
import { injectFault } from "./inject-fault.js";
import { Journal, type JournalEntry } from "./journal.js";
import { answer, type GuessedResponse, type MockResponse, whole } from "./mock-response.js";

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

/** What a request turns out to be. */
interface Asked {
  route: Route | undefined;
  body: unknown;
  key: string | undefined;
  /** Whose key it is; undefined where it is not valid. */
  holder: KeyHolder<Account> | undefined;
}

/** The way of a request: journal, key, fault, service, and what a strict mock has to say about the answer. */
export class Engine {
  readonly journal = new Journal();
  readonly registry = new KeyRegistry<Account>();
  readonly faults = new Faults();
  readonly #clock: ControlledClock;
  readonly #guesses: Guesses;
  readonly #service: Service;

  constructor(clock: ControlledClock, guesses: Guesses, baseUrl: string) {
    this.#clock = clock;
    this.#guesses = guesses;
    this.#service = new Service(guesses, baseUrl);
  }

  /**
   * Carries a request to the service and its answer back: at once, save where a fault makes it wait, as a promise costs
   * more than the answer. The time of a virtual clock does not move meanwhile, but for what a fault waits for.
   *
   * @throws or rejects with the signal's reason on abort; in a strict mock, an error that names the guess an answer would rest on
   */
  handle(request: MockRequest): MockResponse | Promise<MockResponse> {
    const asked = this.#read(request);
    const entry = this.#note(request, asked);
    const answered = this.#answer(request, asked, entry);
    if ("then" in answered) return answered.then((late) => this.#finish(late, entry));
    return this.#finish(answered, entry);
  }

  #finish({ response, guesses, isExempt }: GuessedResponse, entry: JournalEntry): MockResponse {
    entry.guesses = guesses;
    if (!isExempt) this.#guesses.check(guesses, entry.operation);
    entry.status = response.status;
    return response;
  }

  #read(request: MockRequest): Asked {
    const key = presentedKey(request);
    return {
      route: findRoute(request.method, request.path),
      body: parseBody(request.text),
      key,
      holder: key === undefined ? undefined : this.registry.find(key),
    };
  }

  /** Notes what was asked, without any key. */
  #note({ method, path, text }: MockRequest, { route, body, key, holder }: Asked): JournalEntry {
    const shown = this.registry.masked(text, key);
    return this.journal.add({
      operation: route?.operation.name,
      time: this.#clock.now(),
      method,
      path: this.registry.masked(path, key),
      key: key && maskKey(key),
      keyId: holder?.keyId,
      body: shown === text ? body : parseBody(shown),
      status: undefined,
      credits: 0,
      guesses: [],
    });
  }

  #answer(
    request: MockRequest,
    { route, body, key, holder }: Asked,
    entry: JournalEntry,
  ): GuessedResponse | Promise<GuessedResponse> {
    if (isForDocument(request)) return this.#publishedDocument();
    const { operation } = entry;
    if (!holder) return this.#unauthorized(key, operation);
    const { owner: account, keyId } = holder;
    const { hasOwnClock, signal } = request;
    const apply = (isLost: boolean): Reply => {
      const reply = this.#service.apply({ route, body, account, keyId, hasOwnClock, isLost });
      entry.credits = reply.credits;
      return reply;
    };
    const fault = this.faults.take(operation);
    if (!fault) return whole(apply(false));
    return injectFault(fault, { operation, apply, signal, clock: this.#clock }, this.#guesses);
  }

  /** The one error that the service documents (section 5), but for the format of its body. */
  #unauthorized(key: string | undefined, operation: OperationName | undefined): GuessedResponse {
    const message =
      key === undefined
        ? `The API key is missing. Please send it as ${acceptedHeaders}.`
        : "The API key is invalid or was revoked.";
    const context = { status: 401, code: "unauthorized", message, operation } as const;
    return { ...whole(errorReply(this.#guesses, context)), isExempt: true };
  }

  /** Loaded only when it is asked for; until then, it is being worked on. */
  async #publishedDocument(): Promise<GuessedResponse> {
    const endWork = this.#clock.work();
    const { documentText } = await import("../service/published-document.js").finally(endWork);
    return { response: answer(200, "application/json", documentText), guesses: [] };
  }
}

/** How the service wants its keys (section 5 of its document). */
const acceptedHeaders = "`Authorization: Bearer <API_KEY>` or `x-api-key: <API_KEY>`";

/** The key that a request presents in either header; undefined where it has none. */
function presentedKey(request: MockRequest): string | undefined {
  const authorization = request.header("authorization");
  const bearer = authorization ? /^bearer +(\S+) *$/i.exec(authorization)?.[1] : undefined;
  return bearer ?? (request.header("x-api-key")?.trim() || undefined);
}

/** The one thing that needs no key (section 4.4 of the service's document). */
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
