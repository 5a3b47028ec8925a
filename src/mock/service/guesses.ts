import { setCost } from "../../generated/values.js";
import { endOf } from "../../job-end.js";
import type { RecordedProgress } from "./job-progress.js";
import type { Recorded, RecordedSet } from "./recorded.js";
import { Refusals } from "./refusals.js";
import type { OperationName } from "./routes.js";
import { Slides } from "./slides.js";
import { type Guess, undocumentedError } from "./sources.js";
import type { Undocumented } from "./undocumented.js";

/**
 * What the mock fills in where the service's document leaves it open, and the check of a strict mock. What `undocumented`
 * configures comes first, then what was recorded, then the document; the mock makes up the rest.
 */
export class Guesses {
  readonly refusals: Refusals;
  readonly slides: Slides;
  readonly appCost: number;
  readonly refundFailedJobs: boolean;
  /** What was seen of a set. */
  readonly set: Readonly<RecordedSet>;
  /** How its job proceeded, or what that is without a recording. */
  readonly progress: RecordedProgress;
  readonly #isStrict: boolean;
  readonly #configured: ReadonlySet<string>;

  /**
   * @param undocumented after its checks
   * @param isStrict whether the mock may make up only what `undocumented` configures
   */
  constructor(undocumented: Undocumented, { refusals = {}, set = {} }: Recorded, isStrict: boolean) {
    const { status = {}, errorBody, slide, appCost, refundFailedJobs } = undocumented;
    this.refusals = new Refusals({ status, errorBody }, refusals);
    this.slides = new Slides(slide, set);
    this.appCost = appCost ?? 0;
    this.refundFailedJobs = refundFailedJobs ?? false;
    this.set = set;
    this.progress = progressOf(set);
    this.#isStrict = isStrict;
    this.#configured = new Set([
      ...namesIn(undocumented),
      ...namesIn(status).map((reason) => `status.${reason}`),
    ]);
  }

  /** The price of a set, in credits. */
  get setCost(): number {
    return this.set.cost ?? setCost;
  }

  /** @throws in a strict mock, if one of `guesses` was not configured in `undocumented` */
  check(guesses: Guess[], operation: OperationName | undefined): void {
    if (!this.#isStrict) return;
    const unconfigured = guesses.filter((guess) => !this.#configured.has(guess));
    if (unconfigured.length > 0) throw undocumentedError(unconfigured, operation);
  }
}

function progressOf({
  states = ["queued", "running", "succeeded"],
  slides,
  error,
}: RecordedSet): RecordedProgress {
  const end = states.at(-1) ?? "";
  const outcome =
    endOf({ status: end, result: slides, error }) ?? (error === undefined ? "succeeded" : "failed");
  return { before: states.slice(0, -1), outcome, end };
}

/** The names of what is given. */
const namesIn = (options: object): string[] =>
  Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [name]));
