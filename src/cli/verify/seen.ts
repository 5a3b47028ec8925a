import type { AcceptedJob, CreateScreenshotsParams, Job } from "../../index.js";
import { endOf } from "../../wait/is-terminal.js";
import type { Answer, Ask, Party } from "./ask.js";

/** What was seen of a party. */
export interface Seen {
  answers: Map<Ask, Answer>;
  /** The set, if one was accepted. */
  set?: SeenSet;
}

/** What was seen of a set, from its acceptance on. */
export interface SeenSet {
  /** The price that the acceptance names. */
  cost: unknown;
  /** The statuses of its job, each with the time at which it was first seen. */
  states: { status: string; at: number }[];
  /** The slides of a job that ended with some. */
  slides?: unknown[];
  /** The error of a job that failed. */
  failure?: { error: unknown };
  hasEnded: boolean;
}

interface OrderOptions {
  /** How long the set's create may take; undefined for as long as usual. */
  createMs?: number | undefined;
  /** How long to wait for the job. */
  timeoutMs?: number | undefined;
  onAccepted?(accepted: AcceptedJob): void;
  onUpdate?(job: Job): void;
}

/** Orders a set and follows its job to its end. What is seen is in `seen` also if this throws. */
export async function order(
  seen: Seen,
  { client, now, signal }: Party,
  params: CreateScreenshotsParams,
  { createMs, timeoutMs, onAccepted, onUpdate }: OrderOptions = {},
): Promise<void> {
  const accepted = await client.screenshots.create(params, { signal, timeoutMs: createMs });
  const { cost } = (accepted.credits ?? {}) as { cost?: unknown };
  const set: SeenSet = { cost, states: [], hasEnded: false };
  seen.set = set;
  onAccepted?.(accepted);
  for await (const job of client.watchJob(accepted.jobId, { signal, timeoutMs, onUpdate })) {
    const end = endOf(job);
    set.states.push({ status: job.status, at: now() });
    set.hasEnded = end !== undefined;
    if (end === "failed") set.failure = { error: job.error };
    const slides: unknown = job.result?.slides;
    if (end === "succeeded" && Array.isArray(slides)) set.slides = slides;
  }
}
