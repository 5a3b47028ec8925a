import { ApiError } from "../errors/errors.js";
import type { CallObserver, RequestOptions, Settings } from "../options/options.js";
import { after } from "../time/clock.js";
import type { Job } from "../types.js";
import { shortestRetryAfterMs } from "./poll-delay.js";
import type { CheckedWaitOptions } from "./wait-options.js";

/** A poll hangs once its key or its answer has taken this long: it gives up its place, and a last poll replaces it. */
const hungAfterMs = 3000;

/** How a wait asks the service. It is passed in so that this room does not depend on requests. */
export interface JobSource {
  /** Sends one poll. */
  poll(
    jobId: string,
    options: RequestOptions,
    observer: CallObserver,
  ): Promise<{ job: Job; retryAfterMs: number | undefined }>;
  /** Whether to go on polling after this failure, for a job that this client created `ageMs` ago. */
  passes(error: unknown, ageMs: number): boolean;
}

/** What a poll found: a job or a failure; and when the service asked to be polled again, if it did. */
export interface Found {
  job?: Job;
  failure?: unknown;
  askedUntil: number | undefined;
}

/** A poll of a wait. All times are the clock's. */
interface Poll {
  jobId: string;
  options: CheckedWaitOptions;
  /** When the wait's last poll is due, which is to replace this one if it hangs then. */
  lastPollAt: number;
  deadline: number;
  /** Called each time that a request is sent: twice if the key was rotated. */
  onSend(): void;
}

/** Sends the polls of a client. So many may be in flight; the others follow in the order in which they became due. */
export class Poller {
  readonly #due = new Map<object, () => void>();
  readonly #inFlight = new Set<object>();

  constructor(
    private readonly settings: Settings,
    private readonly source: JobSource,
  ) {}

  /**
   * Polls when there is a place, and tells what was found. If the poll still hangs when the wait's last poll is due, it is
   * given up, and `tell(undefined)` lets the wait send that one. Returns what gives it up without a word, whether it is
   * in flight or not yet.
   */
  poll(
    { jobId, options, lastPollAt, deadline, onSend }: Poll,
    tell: (found: Found | undefined) => void,
  ): () => void {
    const { clock } = this.settings;
    const { headers, onResponse } = options;
    const poll = new AbortController();
    let cancelTimer = () => {};
    /** The poll hangs unless something happens to it within this time. */
    const restartHangTimer = () => {
      cancelTimer();
      cancelTimer = after(clock, hungAfterMs, () => {
        this.#leave(poll);
        cancelTimer = after(clock, Math.max(lastPollAt - clock.now(), 0), () => {
          giveUp();
          tell(undefined);
        });
      });
    };
    const end = () => {
      cancelTimer();
      this.#leave(poll);
    };
    const giveUp = () => {
      end();
      poll.abort("nobody waits for this answer any longer");
    };
    const answered = (found: Pick<Found, "job" | "failure">, askedMs: number | undefined) => {
      end();
      const askedUntil =
        askedMs === undefined ? undefined : clock.now() + Math.max(askedMs, shortestRetryAfterMs);
      tell({ ...found, askedUntil });
    };
    const observer: CallObserver = {
      // A request that then pauses because of a 429 does not hang.
      onKey: () => cancelTimer(),
      onSend() {
        onSend();
        restartHangTimer();
      },
    };
    this.#enter(poll, () => {
      // If the process was held up, the deadline may have passed although its timer, which gives up the poll, has yet to
      // fire.
      if (clock.now() >= deadline) return;
      restartHangTimer();
      this.source.poll(jobId, { signal: poll.signal, headers, onResponse }, observer).then(
        ({ job, retryAfterMs }) => answered({ job }, retryAfterMs),
        (failure) => answered({ failure }, failure instanceof ApiError ? failure.retryAfterMs : undefined),
      );
    });
    return giveUp;
  }

  /** Starts a poll as soon as there is a place. */
  #enter(poll: object, start: () => void): void {
    this.#due.set(poll, start);
    this.#admit();
  }

  /** Gives up the place of a poll in flight, or its turn. */
  #leave(poll: object): void {
    this.#due.delete(poll);
    if (this.#inFlight.delete(poll)) this.#admit();
  }

  #admit(): void {
    for (const [poll, start] of this.#due) {
      if (this.#inFlight.size >= this.settings.maxConcurrentPolls) return;
      this.#due.delete(poll);
      // Added before the start, which may run a user's function that ends this wait and others.
      this.#inFlight.add(poll);
      start();
    }
  }
}
