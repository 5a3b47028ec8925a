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
import { type Answer, isRefusal, jobIdIn } from "./answer.js";
import { Observation, observeMock } from "./observation.js";
import { recordingOf } from "./recording.js";
import { requests } from "./request.js";
import { compare, summaryOf, tableOf } from "./rows.js";
import { gaveOf, withoutKey } from "./words.js";

interface VerifyOptions {
  /** What to order; undefined for free. */
  params: CreateParams | undefined;
  timeoutMs: number | undefined;
  /** What the service is compared with in place of the mock's guesses. */
  recorded: Recorded | undefined;
  out: Destination | undefined;
}

/** How long an interrupted command may take to write to a file that perhaps nobody reads. */
const lastWriteMs = 1000;

/** Sends the requests to the service, compares its answers with its document and the mock, and tells the difference. */
export class Verification {
  readonly #clean = withoutKey(environment("SCREENSHOT_SETS_API_KEY") ?? "");
  readonly #service: Observation;
  /** Whether something was charged, or may have been, against the rules, or for a set that was not seen to its end. */
  #isInVain = false;

  constructor(
    private readonly session: Session,
    private readonly options: VerifyOptions,
  ) {
    this.#service = new Observation(session.client, platformFetch, this.#clean, session.signal);
  }

  async result(): Promise<Result> {
    const { session } = this;
    const { params, recorded } = this.options;
    await this.#observe();
    const comparison = compare(this.#service, await observeMock(recorded), recorded);
    const { rows, silence } = comparison;
    // What may have been charged was told with the same reason.
    if (silence && !this.#isInVain) this.#say(silence);
    // An earlier recording is worth more than what was not the service's.
    const lost = this.#isService ? await this.#record(session.signal) : undefined;
    if (lost) this.#say(lost);
    if (session.accepted) session.leftJob = session.accepted.jobId;
    const isLost = lost !== undefined && session.accepted !== undefined;
    const exitCode = this.#isInVain || isLost ? 3 : lost ? 1 : comparison.exitCode;
    const summary = summaryOf(comparison, params === undefined);
    return { value: rows, text: `${tableOf(rows)}\n${summary}\n`, exitCode };
  }

  get #isService(): boolean {
    return this.#service.takesKey(requests.unknownJob);
  }

  #say(line: string): void {
    this.session.live.say(this.#clean(line));
  }

  /** Says what was charged, or may have been, against the rules or in vain. */
  #sayInVain(line: string, jobId?: string): void {
    this.#say(line);
    this.#isInVain = true;
    this.session.isCharged = true;
    if (jobId !== undefined) this.session.leftJob ??= jobId;
  }

  /** Sends what is to be refused, and orders a set if that is allowed. */
  async #observe(): Promise<void> {
    this.session.begin("Asking the service");
    try {
      const isOrdered = (await this.#sendReads()) && this.#isService && (await this.#sendCreates());
      if (isOrdered) await this.#orderOne();
    } catch (error) {
      // What was paid for is recorded also if the wait for it was interrupted.
      if (this.#service.set) await this.#record(AbortSignal.timeout(lastWriteMs));
      throw error;
    }
  }

  /** Writes the recording. Resolves to why it cannot be written, if it cannot. */
  async #record(until: AbortSignal): Promise<string | undefined> {
    const { out } = this.options;
    try {
      await out?.write(`${printableJson(recordingOf(this.#service))}\n`, until);
      await out?.close(until);
    } catch (error) {
      if (error instanceof Interrupt) throw error;
      return `What was seen cannot be written to --out: ${printableLine(systemReason(error))}.`;
    }
    return undefined;
  }

  /** Sends what only reads. Resolves to false where the rest would not be answered either. */
  async #sendReads(): Promise<boolean> {
    const { document, unknownJob, otherHeader, noKey, wrongKey } = requests;
    let unanswered = 0;
    for (const request of [document, unknownJob, otherHeader, noKey, wrongKey]) {
      const { status, meaning } = await this.#service.send(request);
      if (this.#service.elsewhere !== undefined) return false;
      unanswered = status === undefined ? unanswered + 1 : 0;
      // The others would take as long again, or be held back as this one is.
      if (unanswered === 2 || meaning === "limited") return false;
    }
    return true;
  }

  /** Sends the creates that are to be refused, up to one that was not certainly. Resolves to whether all of them were. */
  async #sendCreates(): Promise<boolean> {
    const { emptySet, emptyApp, unknownApp } = requests;
    const paid = this.options.params && { "a set of an unknown app": unknownApp };
    for (const [what, request] of Object.entries({ "a set {}": emptySet, "an app {}": emptyApp, ...paid })) {
      const answer = await this.#service.send(request);
      const trouble = troubleIn(what, answer);
      if (trouble) this.#sayInVain(trouble, jobIdIn(answer));
      if (!isRefusal(answer)) return false;
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
      await this.#service.order(params, session, timeoutMs);
    } catch (error) {
      if (!(error instanceof ScreenshotSetsError)) throw error;
      this.#sayInVain(failureLine(error, session));
      return;
    }
    const { app, set } = this.#service;
    for (const answer of [app, set])
      if (answer?.error && answer.error.charged !== "no")
        this.#sayInVain(failureLine(answer.error, session), jobIdIn(answer));
    if (set?.meaning === "accepted" && !session.accepted)
      this.#sayInVain(`A set was accepted, and its job is not named: ${gaveOf(set)}`);
  }
}

/** What is wrong with the answer to a create that is to be refused. */
function troubleIn(what: string, answer: Answer): string | undefined {
  if (answer.meaning === "accepted") return `Against the rules, ${what} was accepted: ${gaveOf(answer)}`;
  const { charged = "no", message } = answer.error ?? {};
  return charged === "no" ? undefined : `It is not certain that ${what} was refused: ${message}`;
}
