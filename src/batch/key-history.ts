import { joinedCause, joinedSet } from "../durable/set-state.js";
import type { PaidJob, StoredSet } from "../durable/set-store.js";
import { shortened } from "../errors/words.js";
import { appPrefix } from "./batch-options.js";

/** The JSON text of no value. */
export const none = "null";

/**
 * What the lines of a key say, in the order of the file. A line counts if its number follows the last one that counted. But
 * each is evidence: where two histories of a set were joined, only one of them counts, and the other may have been paid.
 */
export class KeyHistory {
  /** The number of the line that counted last, which is the highest of all. */
  n = 0;
  #text = none;
  #jobId: string | undefined;
  /** The create of the last line, if it was in flight. */
  #sending: { n: number; text: string } | undefined;
  /** The last line that shows what was paid, or may have been, but for that. */
  #evidence: string | undefined;
  readonly #jobs: PaidJob[] = [];

  constructor(private readonly key: string) {}

  /**
   * Adds the next line.
   *
   * @param text the JSON text of its value
   * @returns whether it counts
   */
  add(n: number, value: unknown, text: string): boolean {
    const trace = traceOf(this.key, value);
    if (this.#sending && n !== this.#sending.n + 1) this.#evidence = this.#sending.text;
    this.#sending = trace?.isSending ? { n, text } : undefined;
    if (trace && !trace.isSending) this.#evidence = text;
    const { job } = trace ?? {};
    if (job && !this.#jobs.some(({ jobId }) => jobId === job.jobId)) this.#jobs.push(job);
    if (n !== this.n + 1) return false;
    this.n = n;
    this.#text = text;
    this.#jobId = job?.jobId;
    return true;
  }

  /** The JSON text of the value that is stored. Where that is none, but something may have been paid, it says so. */
  get text(): string {
    const evidence = this.#sending?.text ?? this.#evidence;
    return this.#text === none && evidence !== undefined ? joinedText(this.key, evidence) : this.#text;
  }

  /** The jobs that a line names, and what is stored does not. */
  get otherJobs(): PaidJob[] {
    if (this.#jobs.every(({ jobId }) => jobId === this.#jobId)) return [];
    const { state, earlier = [] } = JSON.parse(this.text) as StoredSet;
    const named = [...earlier, state].map((one) => (one as Partial<PaidJob> | undefined)?.jobId);
    return this.#jobs.filter(({ jobId }) => !named.includes(jobId));
  }
}

/** What a line says of a create. */
interface Trace {
  /** Whether it is in flight: the next line of the key has its end. */
  isSending: boolean;
  /** The job that the create became. */
  job?: PaidJob | undefined;
}

/** What a value says of a create; `undefined` if there is none that may be paid for. */
function traceOf(key: string, value: unknown): Trace | undefined {
  const { state, params, app, cause } = Object(value);
  if (key.startsWith(appPrefix)) return params ? { isSending: !app && !cause } : undefined;
  const { step, jobId, credits } = Object(state);
  if (typeof step !== "string") return undefined;
  const job = typeof jobId === "string" ? { jobId, credits: { cost: credits?.cost } } : undefined;
  return { isSending: step === "sending", job };
}

/** What is stored under a key whose histories were joined, by the last line that shows what may have been paid. */
function joinedText(key: string, text: string): string {
  const { app, state, ...record } = JSON.parse(text);
  const stored = key.startsWith(appPrefix)
    ? { ...record, cause: joinedCause(app && `the app ${shortened(String(app.appId))}`) }
    : { ...record, state: joinedSet(state) };
  return JSON.stringify(stored);
}
