import type { CallObserver, RequestOptions } from "../options/options.js";
import type { Clock } from "../time/clock.js";
import type { Job } from "../types.js";
import type { Gate } from "./gate.js";
import type { JobMemory } from "./job-memory.js";

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

/** What the waits of a client share. */
export interface WaitHost extends JobSource {
  readonly clock: Clock;
  readonly gate: Gate;
  readonly memory: JobMemory;
}
