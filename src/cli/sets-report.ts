import type { Budget } from "../batch/budget.js";
import { ConnectionError, RateLimitError, ScreenshotSetsError, TimeoutError } from "../index.js";
import { duration } from "../text/figures.js";
import { printableWord } from "../text/printable.js";
import { failureLine } from "./failure.js";
import { Interrupt } from "./interrupt.js";
import { type Outcome, outcomeLine } from "./outcome-text.js";
import { errorLine, isReaderGone, printableLine, printLine, unwritten } from "./output.js";
import type { Result } from "./result.js";
import type { Session, SessionFlags } from "./session.js";
import { commandOf, printResume, printWaits } from "./typed-command.js";

/** With these, a set that was not charged may be accepted in a later run. */
const passing = [ConnectionError, TimeoutError, RateLimitError];

/** The flags that decide how the sets of a command are reported. */
export interface ReportFlags extends SessionFlags {
  state?: string;
  "no-wait"?: boolean;
  /** The sets to order once more; undefined for a command that orders none. */
  again?: string[] | undefined;
}

/** Tells how the sets of a command go on, and how they ended. */
export class SetsReport {
  /** What the sets of the state cost, once the batch has begun. */
  budget: Budget | undefined;
  /** What the state tells of its uncertain sets. */
  notes: string[] = [];
  readonly #startedAt = performance.now();
  readonly #inWork = new Map<string, { state: string; beganAt: number }>();
  readonly #outcomes: Outcome[] = [];

  constructor(
    private readonly session: Session,
    private readonly keys: readonly string[],
    private readonly flags: ReportFlags,
  ) {
    session.live.show(() => this.#lines());
  }

  get isEmpty(): boolean {
    return this.#outcomes.length === 0;
  }

  get hasUncertain(): boolean {
    return this.#outcomes.some(({ status }) => status === "uncertain");
  }

  /** A set was accepted. */
  accepted(key: string, jobId: string): void {
    this.session.isCharged = true;
    this.update(key, `accepted as ${printableWord(jobId)}`);
  }

  /** A set was accepted, or its job has another status. */
  update(key: string, state: string): void {
    const { live } = this.session;
    this.#inWork.set(key, { state, beganAt: this.#inWork.get(key)?.beganAt ?? performance.now() });
    if (live.isLive) live.refresh();
    else live.say(`${key}: ${state}`);
  }

  /** A set has ended: writes its line. */
  end(outcome: Outcome): void {
    this.#outcomes.push(outcome);
    this.#inWork.delete(outcome.key);
    this.#write(outcomeLine(outcome, this.flags));
  }

  /** All sets have ended, or the batch has failed: tells that, and how to go on. */
  async finish(failure?: unknown): Promise<Result> {
    const { session } = this;
    const { json } = this.flags;
    const isTold = this.#outcomes.some(
      ({ error }) => error && error.message === (failure as Error | undefined)?.message,
    );
    if (failure !== undefined && json && !isTold) this.#write(errorLine(failure));
    const lost = await this.#lost();
    session.live.close();
    if (failure !== undefined) printLine(failureLine(failure, session));
    if (lost !== undefined) printLine(unwritten(session.out.path, lost));
    this.#printSummary();
    for (const note of this.notes) printLine(note);
    if (this.hasUncertain && this.flags.again)
      printLine(
        "If you decide to order an uncertain set once more, which may pay for it twice, add --again KEY. docs/batches.md in the package says what to look at first.",
      );
    this.#printResume(failure !== undefined, lost !== undefined);
    const lostCode = session.isCharged ? 3 : 1;
    return { exitCode: Math.max(this.#exitCode(failure), lost === undefined ? 0 : lostCode) };
  }

  /** Why the lines of some sets were not written, if that is a loss. */
  async #lost(): Promise<unknown> {
    const { session } = this;
    try {
      await session.out.close(session.signal);
    } catch (error) {
      const isLoss = !(error instanceof Interrupt || (isReaderGone(error) && !session.isPaid));
      if (isLoss) return error;
    }
    return undefined;
  }

  #write(line: string): void {
    const { live, out, signal } = this.session;
    // Not waited for: perhaps nobody reads it, and the batch goes on all the same.
    live.above(() => void out.write(line, signal).catch(() => {}));
  }

  #lines(): string[] {
    const now = performance.now();
    const rows = [...this.#inWork].map(
      ([key, { state, beganAt }]) => `${key}: ${state} (${duration(now - beganAt)})`,
    );
    return [...rows, `${this.#endedText()}, ${duration(now - this.#startedAt)}`];
  }

  #endedText(): string {
    const ended = this.#outcomes.filter(({ status }) => status === "succeeded" || status === "failed");
    return `${ended.length} of ${this.keys.length} sets ended`;
  }

  #printSummary(): void {
    const counts = new Map<string, number>();
    for (const { status } of this.#outcomes) counts.set(status, (counts.get(status) ?? 0) + 1);
    const counted = [...counts].map(([status, count]) => `${count} ${status}`).join(", ");
    const begin = `${this.session.signal.aborted ? "Interrupted. " : ""}${counted && `${counted}: `}`;
    const elapsed = duration(performance.now() - this.#startedAt);
    printLine(printableLine(`${begin}${this.#endedText()}, ${this.#creditsText()}, ${elapsed}.`));
  }

  #creditsText(): string {
    if (this.budget === undefined) return "0 credits spent";
    const { spent, maybeSpent, most } = this.budget;
    const left =
      Number.isFinite(most) &&
      `${Math.max(most - spent - maybeSpent, 0)} of the ${most} of --max-credits left`;
    return [`${spent} credits spent`, maybeSpent > 0 && `${maybeSpent} more maybe`, left]
      .filter(Boolean)
      .join(", ");
  }

  #printResume(hasFailed: boolean, isLost: boolean): void {
    const waiting = this.#outcomes.filter(
      ({ status }) => status === "waiting" || (isLost && status === "succeeded"),
    ) as { jobId: string }[];
    const isLeft = this.#outcomes.some(
      ({ status, reason, charged, error }) =>
        (status === "skipped" && reason !== "budget") ||
        (status === "failed" && charged === "no" && passing.some((one) => error instanceof one)),
    );
    if (this.flags.state === undefined) {
      const apart = this.session.out.path === undefined ? "" : ", each with an --out of its own";
      const jobIds = waiting.map(({ jobId }) => jobId);
      printWaits(`To get the results, run${apart}:`, jobIds, { ...this.flags, out: undefined });
    } else if (this.session.signal.aborted || waiting.length > 0 || isLeft || hasFailed) {
      const again = commandOf(typedToGoOn());
      if (again === undefined) printLine("To go on, run the same command again.");
      else printResume("To go on, run:", [again], this.flags);
    }
  }

  /** 3 charged, or maybe charged, and no result · 1 failed · 0 done */
  #exitCode(failure: unknown): number {
    const { signal } = this.session;
    if (signal.aborted) return (signal.reason as Interrupt).exitCode;
    const codes = this.#outcomes.map(({ status, error }) => {
      if (status === "succeeded") return 0;
      if (status === "waiting") return this.flags["no-wait"] && !error ? 0 : 3;
      return status === "uncertain" ? 3 : 1;
    });
    const isCharged = failure instanceof ScreenshotSetsError && failure.charged !== "no";
    return Math.max(0, ...codes, failure === undefined ? 0 : isCharged ? 3 : 1);
  }
}

/** What was typed, without what was meant once (--again, --no-wait), and with the service in place of the mock. */
function typedToGoOn(): string[] {
  const typed = process.argv.slice(2);
  return typed.filter(
    (arg, index) => !/^--(again(=|$)|(mock|no-wait)$)/.test(arg) && typed[index - 1] !== "--again",
  );
}
