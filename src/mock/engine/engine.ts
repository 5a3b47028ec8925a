import type { ControlledClock } from "../clock/mock-clock.js";
import type { Account } from "../service/account.js";
import type { Guesses } from "../service/guesses.js";
import { type KeyRegistry, maskKey } from "../service/keys.js";
import { errorReply, type Reply } from "../service/replies.js";
import { findRoute, type OperationName } from "../service/routes.js";
import type { Service } from "../service/service.js";
import type { Faults } from "./faults.js";
import { injectFault, type Waits } from "./inject-fault.js";
import type { Journal, JournalEntry } from "./journal.js";
import { answer, type GuessedResponse, type MockResponse, whole } from "./mock-response.js";

/** One request, as far as the service looks at it. Whoever carries requests to the mock makes these. */
export interface MockRequest {
  method: string;
  /** Below the base URL, as sent. */
  path: string;
  header(name: string): string | null | undefined;
  /** The body. */
  text: string;
  /** What ends the request when its caller gives it up; asked for only where the request has to wait. */
  signal(): AbortSignal | null | undefined;
  /** Whether the caller waits on a clock other than the mock's. */
  hasOwnClock: boolean;
}

/** What a request passes on its way. */
interface EngineParts {
  clock: ControlledClock;
  journal: Journal;
  registry: KeyRegistry<Account>;
  faults: Faults;
  service: Service;
  guesses: Guesses;
}

/** The way of a request: journal, key, fault, service, and what a strict mock has to say about the answer. */
export class Engine {
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  /**
   * Carries a request to the service and its answer back: at once, save where a fault makes it wait, as a promise costs
   * more than the answer.
   *
   * @throws or rejects with the signal's reason on abort; in a strict mock, an error that names the guess an answer would rest on
   */
  handle(request: MockRequest): MockResponse | Promise<MockResponse> {
    const { clock, journal } = this.#parts;
    const work = new Work(clock, request);
    let isWaiting = false;
    try {
      const entry = journal.open(request.method, clock.now());
      const answered = this.#answer(request, entry, work);
      if (!("then" in answered)) return this.#finish(answered, entry);
      isWaiting = true;
      return answered.then((late) => this.#finish(late, entry)).finally(() => work.end());
    } finally {
      if (!isWaiting) work.end();
    }
  }

  #finish({ response, guesses, isExempt }: GuessedResponse, entry: JournalEntry): MockResponse {
    entry.guesses = guesses;
    if (!isExempt) this.#parts.guesses.check(guesses, entry.operation);
    entry.status = response.status;
    return response;
  }

  /** Notes in `entry` who the request was from and what it cost. */
  #answer(request: MockRequest, entry: JournalEntry, work: Work): GuessedResponse | Promise<GuessedResponse> {
    const { registry, faults, service, guesses } = this.#parts;
    const route = findRoute(request.method, request.path);
    const operation = route?.operation.name;
    const body = parseBody(request.text);
    const key = presentedKey(request);
    const holder = key === undefined ? undefined : registry.find(key);
    this.#note(entry, request, body, key);
    entry.operation = operation;
    entry.keyId = holder?.keyId;
    if (isForDocument(request)) return publishedDocument();
    if (!holder) return this.#unauthorized(key, operation);

    const { owner: account, keyId } = holder;
    const { hasOwnClock } = request;
    function apply({ isLost }: { isLost: boolean }): Reply {
      const reply = service.apply({ route, body, account, keyId, hasOwnClock, isLost });
      entry.credits = reply.credits;
      return reply;
    }
    const fault = faults.take(operation);
    if (!fault) return whole(apply({ isLost: false }));
    return injectFault(fault, { operation, apply, waits: work }, guesses);
  }

  /** Notes what was asked, without any key. */
  #note(entry: JournalEntry, { path, text }: MockRequest, body: unknown, key: string | undefined): void {
    const { registry } = this.#parts;
    entry.key = key === undefined ? undefined : maskKey(key);
    entry.path = registry.masked(path, key);
    const shown = registry.masked(text, key);
    entry.body = shown === text ? body : parseBody(shown);
  }

  /** The one error that the service documents (section 5), but for the format of its body. */
  #unauthorized(key: string | undefined, operation: OperationName | undefined): GuessedResponse {
    const message =
      key === undefined
        ? `The API key is missing. Please send it as ${acceptedHeaders}.`
        : "The API key is invalid or was revoked.";
    const context = { status: 401, code: "unauthorized", message, operation } as const;
    return { ...whole(errorReply(this.#parts.guesses, context)), isExempt: true };
  }
}

/** Marks a request as being worked on, but for the time that it only waits. */
class Work implements Waits {
  readonly #clock: ControlledClock;
  readonly #request: MockRequest;
  #end: () => void;

  constructor(clock: ControlledClock, request: MockRequest) {
    this.#clock = clock;
    this.#request = request;
    this.#end = clock.work();
  }

  end(): void {
    this.#end();
  }

  sleep(ms: number): Promise<void> {
    return this.#idle(this.#clock.sleep(ms, this.#request.signal() ?? undefined));
  }

  untilAborted(): Promise<never> {
    return this.#idle(abortOf(this.#request.signal()));
  }

  async #idle<Result>(wait: Promise<Result>): Promise<Result> {
    this.#end();
    try {
      return await wait;
    } finally {
      this.#end = this.#clock.work();
    }
  }
}

function abortOf(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
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

/** Loaded only when it is asked for. */
async function publishedDocument(): Promise<GuessedResponse> {
  const { documentText } = await import("../service/published-document.js");
  return { response: answer(200, "application/json", documentText), guesses: [] };
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
