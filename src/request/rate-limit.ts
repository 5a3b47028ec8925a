import { abortable } from "../time/abortable.js";
import { after, type Clock } from "../time/clock.js";
import { resetWatch } from "../time/clock-hooks.js";
import type { Outcome } from "./attempt.js";
import { longestRetryAfterMs, retryAfterMs, retryDelayMs } from "./retry.js";

/** A limit above which requests are no longer counted. */
const unlimitedFrom = 100;

/** How long a request may go unanswered before the next one is started, while requests start one at a time. */
const hangingAfterMs = 3_000;

/** A pause below this, in milliseconds, is kept only the first time that a service asks for it. */
const shortestAskedMs = 20;

/** A request that waits for its turn. */
interface Waiting {
  /** When its call began: the oldest goes first. */
  since: number;
  start(request: InFlight): void;
}

interface InFlight {
  sentAt: number;
}

/**
 * The service's rate limit, as a client learns it from answers of 429. After one, all requests of the client pause
 * together: as long as the answer asks for, or else for a growing time. Then they start again one at a time, and each
 * answer that is not a 429 allows one more at once.
 *
 * ```
 *            429                     the pause is over
 * unlimited ────▶ paused, limit = 1 ──────────────────▶ limited ──▶ one more for each good answer ──▶ unlimited
 *                   ▲                                      │ 429
 *                   └──────────────────────────────────────┘
 * ```
 */
export class RateLimit {
  readonly #clock: Clock;
  readonly #isReset: () => boolean;
  #waiting: Waiting[] = [];
  /** When each request in flight was sent, the oldest first. */
  #inFlight = new Set<InFlight>();
  /** How many requests may be in flight at once. */
  #limit = Number.POSITIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  /** How many pauses of calls followed each other without a good answer between them. */
  #refusals = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#isReset = resetWatch(clock);
  }

  /** How much longer requests pause, in milliseconds. */
  get pauseMs(): number {
    return Math.max(this.#pausedUntil - this.#clock.now(), 0);
  }

  /**
   * Runs `send` when it is this request's turn.
   *
   * @param call when it began, and whether it is retried after a 429: a poll is not, and has a pace of its own
   * @throws the reason of the signal, if it aborts before that
   */
  async run(
    { since, isRepeated, signal }: { since: number; isRepeated: boolean; signal: AbortSignal | undefined },
    send: () => Promise<Outcome>,
  ): Promise<Outcome> {
    this.#forgetIfReset();
    const isHeld = this.#waiting.length > 0 || this.#heldMs() > 0;
    const request = isHeld ? await this.#turn(since, signal) : this.#start();
    try {
      const outcome = await send();
      this.#learn(outcome, request.sentAt, isRepeated);
      return outcome;
    } finally {
      this.#inFlight.delete(request);
      this.#startNext();
    }
  }

  #start(): InFlight {
    const request = { sentAt: this.#clock.now() };
    this.#inFlight.add(request);
    return request;
  }

  #turn(since: number, signal: AbortSignal | undefined): Promise<InFlight> {
    const turn = abortable<InFlight>(signal, (resolve) => {
      const waiting = { since, start: resolve };
      this.#waiting.push(waiting);
      this.#waiting.sort((one, other) => one.since - other.since);
      return () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        // A timer that nobody waits for would keep a process alive.
        if (this.#waiting.length === 0) this.#cancelTimer?.();
      };
    });
    this.#startNext();
    return turn;
  }

  /** How long no request may start, in milliseconds: until the pause is over, or the oldest in flight counts as hanging. */
  #heldMs(): number {
    if (this.#limit === Number.POSITIVE_INFINITY) return 0;
    const now = this.#clock.now();
    const [oldest, ...more] = [...this.#inFlight].filter(({ sentAt }) => now - sentAt < hangingAfterMs);
    const freeAt = oldest && 1 + more.length >= this.#limit ? oldest.sentAt + hangingAfterMs : now;
    return Math.max(this.#pausedUntil, freeAt) - now;
  }

  #startNext(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    while (this.#waiting.length > 0) {
      const heldMs = this.#heldMs();
      if (heldMs > 0) {
        this.#cancelTimer = after(this.#clock, heldMs, () => this.#startNext());
        return;
      }
      this.#waiting.shift()?.start(this.#start());
    }
  }

  #learn({ status, headers }: Outcome, sentAt: number, isRepeated: boolean): void {
    if (status === 429) {
      const until =
        this.#clock.now() + Math.min(this.#pauseAfter(headers, sentAt, isRepeated), longestRetryAfterMs);
      this.#pausedUntil = Math.max(this.#pausedUntil, until);
      this.#limit = 1;
    } else if (status !== undefined) {
      this.#refusals = 0;
      this.#limit = this.#limit < unlimitedFrom ? this.#limit + 1 : Number.POSITIVE_INFINITY;
    }
  }

  #pauseAfter(headers: Headers | undefined, sentAt: number, isRepeated: boolean): number {
    const askedMs = retryAfterMs(headers);
    // A request that was sent before the pause began lengthens it only if its answer asks for that.
    if (sentAt < this.#pausedUntil) return askedMs ?? 0;
    const refusals = isRepeated ? this.#refusals++ : 0;
    // A service that asks for no pause and keeps refusing must not be asked in a tight loop.
    const isUseless = askedMs === undefined || (askedMs < shortestAskedMs && refusals > 0);
    return isUseless ? retryDelayMs(refusals, undefined) : askedMs;
  }

  /** After a reset of the mock, earlier times mean nothing, and earlier requests never end. */
  #forgetIfReset(): void {
    if (!this.#isReset()) return;
    this.#cancelTimer?.();
    this.#waiting = [];
    this.#inFlight = new Set();
    this.#limit = Number.POSITIVE_INFINITY;
    this.#pausedUntil = Number.NEGATIVE_INFINITY;
    this.#refusals = 0;
  }
}
