import { systemReason } from "../../batch/system-reason.js";
import { ScreenshotSetsError } from "../../index.js";
import type { Recorded } from "../../mock/index.js";
import { platformFetch } from "../../request/platform-fetch.js";
import { environment } from "../../secrets/key.js";
import type { CreateParams } from "../create-params.js";
import { failureLine } from "../failure.js";
import { Interrupt } from "../interrupt.js";
import type { Destination } from "../out-file.js";
import { printableJson, printableLine } from "../output.js";
import type { Result } from "../result.js";
import type { Session } from "../session.js";
import { type Answer, type Ask, asks, isAccepted, isRefused } from "./ask.js";
import { compare, summaryOf, tableOf } from "./rows.js";
import { jobIdIn, recordingOf, Seen, seeMock } from "./seen.js";
import { gaveOf, withoutKey } from "./words.js";

interface VerifyOptions {
  /** What to order; undefined for free. */
  params: CreateParams | undefined;
  timeoutMs: number | undefined;
  /** What the service is compared with in place of the mock's guesses. */
  recorded: Recorded | undefined;
  out: Destination | undefined;
}

/** How long a 429 may hold requests back. What it holds back then is not tried. */
const longestHoldMs = 30_000;

/** How long an interrupted command may take to write to a file that perhaps nobody reads. */
const lastWriteMs = 1000;

/** Asks the service, compares it with its document and the mock, and tells the difference. */
export class Verification {
  readonly #clean = withoutKey(environment("SCREENSHOT_SETS_API_KEY") ?? "");
  readonly #seen: Seen;
  /**
   * The creates that were accepted against the rules or may have been, and the set that was not seen to its end: each by
   * its job, if that is known.
   */
  readonly #charged: (string | undefined)[] = [];

  constructor(
    private readonly session: Session,
    private readonly options: VerifyOptions,
  ) {
    const { client, signal } = session;
    const now = () => performance.now();
    const until = now() + longestHoldMs;
    this.#seen = new Seen({ client, fetch: platformFetch, now, until, clean: this.#clean, signal });
  }

  async result(): Promise<Result> {
    const { session } = this;
    const { params, recorded } = this.options;
    await this.#see();
    const comparison = compare(this.#seen, await seeMock(recorded), recorded);
    const { rows, silence } = comparison;
    // What may have been charged was told with the same reason.
    if (silence && this.#charged.length === 0) this.#say(silence);
    // An earlier recording is worth more than what was not the service's.
    const lost = this.#seen.isService ? await this.#record(session.signal) : undefined;
    if (lost && session.accepted) this.#tell(lost, session.accepted.jobId);
    else if (lost) this.#say(lost);

    const jobId = session.accepted?.jobId ?? this.#charged[0];
    if (jobId !== undefined) session.leftJob = jobId;
    const exitCode = this.#charged.length > 0 ? 3 : lost ? 1 : comparison.exitCode;
    const summary = summaryOf(comparison, params === undefined);
    return { value: rows, text: `${tableOf(rows)}\n${summary}\n`, exitCode };
  }

  #say(line: string): void {
    this.session.live.say(String(this.#clean(line)));
  }

  /** Says what was charged, or may have been, against the rules or in vain. */
  #tell(line: string, jobId?: string): void {
    this.#say(line);
    this.#charged.push(jobId);
    this.session.isCharged = true;
  }

  /** Asks the service, and orders a set if that is allowed. */
  async #see(): Promise<void> {
    this.session.begin("Asking the service");
    try {
      if (await this.#askAll()) await this.#orderOne();
    } catch (error) {
      // What was paid for is recorded also if the wait for it was interrupted.
      if (this.#seen.set) await this.#record(AbortSignal.timeout(lastWriteMs));
      throw error;
    }
  }

  /** Writes the recording. Resolves to why it cannot be written, if it cannot. */
  async #record(until: AbortSignal): Promise<string | undefined> {
    const { out } = this.options;
    try {
      await out?.write(`${printableJson(recordingOf(this.#seen))}\n`, until);
      await out?.close(until);
    } catch (error) {
      if (error instanceof Interrupt) throw error;
      return `What was seen cannot be written to --out: ${printableLine(systemReason(error))}.`;
    }
    return undefined;
  }

  /**
   * Asks what is to be refused, one after another: first what only reads, then the creates. None is sent to what is not the
   * service or refuses the key, nor after one that was not certainly refused.
   *
   * @returns whether a set may be ordered
   */
  async #askAll(): Promise<boolean> {
    const { emptySet, emptyApp, unknownApp } = asks;
    if (!(await this.#read()) || !this.#seen.isService) return false;

    for (const asked of [emptySet, emptyApp, ...(this.options.params ? [unknownApp] : [])]) {
      const answer = await this.#seen.ask(asked);
      const trouble = troubleIn(asked, answer);
      if (trouble) this.#tell(trouble, jobIdIn(answer));
      if (!isRefused(answer)) return false;
    }
    return true;
  }

  /** Asks what only reads. Resolves to false where the rest would not be answered either. */
  async #read(): Promise<boolean> {
    const { document, unknownJob, otherHeader, noKey, wrongKey } = asks;
    let unanswered = 0;
    for (const asked of [document, unknownJob, otherHeader, noKey, wrongKey]) {
      const answer = await this.#seen.ask(asked);
      if (this.#seen.elsewhere !== undefined) return false;
      unanswered = answer.status === undefined ? unanswered + 1 : 0;
      // The others would take as long again, or be held back as this one is.
      if (unanswered === 2 || answer.status === 429) return false;
    }
    return true;
  }

  /** Orders one set if that is allowed, and follows it to its end. */
  async #orderOne(): Promise<void> {
    const { session } = this;
    const { params, timeoutMs } = this.options;
    if (!params) return;
    session.begin("Ordering a set");
    try {
      await this.#seen.order(params, session, timeoutMs);
    } catch (error) {
      if (!(error instanceof ScreenshotSetsError)) throw error;
      return this.#tell(failureLine(error, session));
    }
    const { app, set } = this.#seen;
    for (const answer of [app, set])
      if (answer?.error && answer.error.charged !== "no")
        this.#tell(failureLine(answer.error, session), jobIdIn(answer));
    if (set && isAccepted(set) && !session.accepted)
      this.#tell(`A set was accepted, and its job is not named: ${gaveOf(set)}`);
  }
}

/** What is wrong with the answer to a create that is to be refused. */
function troubleIn({ what }: Ask, answer: Answer): string | undefined {
  if (isAccepted(answer)) return `Against the rules, ${what} was accepted: ${gaveOf(answer)}`;
  const { charged = "no", message } = answer.error ?? {};
  return charged === "no" ? undefined : `It is not certain that ${what} was refused: ${message}`;
}
