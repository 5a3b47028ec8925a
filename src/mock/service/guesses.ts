import { slides } from "../../generated/samples.js";
import { checkFlag, checkInteger, checkOptions } from "../checks.js";
import { plainCopy } from "./plain-copy.js";
import type { OperationName } from "./routes.js";

/** What the service does not document, and the mock therefore guesses. Each guess can be replaced. */
export interface Undocumented {
  /**
   * The JSON body of an error.
   * @default ({ code, message }) => ({ error: { code, message } })
   */
  errorBody?: (error: ErrorContext) => unknown;
  /** The statuses of errors other than 401. */
  status?: {
    /** @default 402 */
    insufficientCredits?: number;
    /** @default 400 */
    invalidRequest?: number;
    /**
     * An app, a job or a path that is unknown.
     * @default 404
     */
    notFound?: number;
  };
  /**
   * One slide of a succeeded job.
   * @default an index and a caption; the fields of the OpenAPI document, once that describes slides
   */
  slide?: (slide: SlideContext) => unknown;
  /**
   * Credits that an app costs.
   * @default 0
   */
  appCost?: number;
  /**
   * Whether a job that fails gives its credits back, as a ledger row of its own.
   * @default false
   */
  refundFailedJobs?: boolean;
}

/** What a slide is made of. */
export interface SlideContext {
  /** The place of the slide, from 0. */
  index: number;
  /** How many slides the set has. */
  count: number;
  /** The device that the set is for. */
  device: string;
  /** The job that plans the set. */
  jobId: string;
  /** The app that the set is of. */
  appId: string;
}

/** What an error body is made of. */
export interface ErrorContext {
  /** The status of the answer. */
  status: number;
  /** What went wrong, for programs; a guess like the rest of the body. */
  code: "unauthorized" | "insufficient_credits" | "invalid_request" | "not_found" | "fault";
  /** What went wrong, for people. */
  message: string;
  /** Undefined where the document has no such operation. */
  operation: OperationName | undefined;
}

/** The ways to be refused whose status is a guess. */
export type Refusal = keyof NonNullable<Undocumented["status"]>;

const defaults: Required<Undocumented> & { status: Record<Refusal, number> } = {
  errorBody: ({ code, message }) => ({ error: { code, message } }),
  slide: defaultSlide,
  appCost: 0,
  refundFailedJobs: false,
  status: { insufficientCredits: 402, invalidRequest: 400, notFound: 404 },
};

/** A guess by its name in `undocumented`. */
export type Guess = Exclude<keyof Undocumented, "status"> | `status.${Refusal}`;

/** The one table of guesses, and what strictness makes of them. */
export class Guesses implements Required<Undocumented> {
  readonly errorBody: Required<Undocumented>["errorBody"];
  readonly slide: Required<Undocumented>["slide"];
  readonly appCost: number;
  readonly refundFailedJobs: boolean;
  readonly status: Record<Refusal, number>;
  readonly #isStrict: boolean;
  readonly #configured: ReadonlySet<string>;

  /** @param isStrict whether only guesses that are given here may be answered with */
  constructor(undocumented: Undocumented = {}, isStrict: boolean) {
    checkOptions("`undocumented`", undocumented, defaults);
    const { status = {}, ...own } = withoutUndefined(undocumented);
    checkOptions("`undocumented.status`", status, defaults.status);
    const ownStatus = withoutUndefined(status);
    const { errorBody, slide, appCost, refundFailedJobs } = { ...defaults, ...own };
    this.errorBody = errorBody;
    this.slide = slide;
    this.appCost = checkInteger("undocumented.appCost", appCost);
    this.refundFailedJobs = checkFlag("undocumented.refundFailedJobs", refundFailedJobs);
    this.status = { ...defaults.status, ...ownStatus };
    check(this);
    this.#isStrict = isStrict;
    const statuses = Object.keys(ownStatus).map((name) => `status.${name}`);
    this.#configured = new Set([...Object.keys(own), ...statuses]);
  }

  /** @throws in a strict mock, when one of `guesses` was not configured */
  check(guesses: Guess[], operation: OperationName | undefined): void {
    if (!this.#isStrict) return;
    const unconfigured = guesses.filter((guess) => !this.#configured.has(guess));
    if (unconfigured.length > 0) throw undocumentedError(unconfigured, operation);
  }
}

/** A slide as the OpenAPI document describes it; while it does not, with an index and a caption. */
function defaultSlide({ index, count }: SlideContext): unknown {
  const described = slides[index % slides.length];
  return described === undefined
    ? { index, caption: `Slide ${index + 1} of ${count}` }
    : plainCopy(described);
}

/** Not a `TypeError` and without a `code`, so that no client takes it for a failure of the network and tries again. */
function undocumentedError(guesses: Guess[], operation: OperationName | undefined): Error {
  const names = guesses.map((guess) => `\`${guess}\``).join(" and ");
  const error = new Error(
    `Failed to answer ${operation ?? "a request"}: the answer rests on ${names}, which the service does not document. ` +
      "Please give what you expect as `undocumented` to createMock, or leave out `strict`.",
  );
  return Object.assign(error, { name: "UndocumentedError", guesses });
}

function withoutUndefined<T extends object>(values: T) {
  type Given = { [Key in keyof T]: Exclude<T[Key], undefined> };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given;
}

function check({ errorBody, slide, status }: Guesses): void {
  for (const [name, make] of Object.entries({ errorBody, slide })) {
    if (typeof make !== "function") throw new TypeError(`Expected \`undocumented.${name}\` to be a function`);
  }
  for (const [name, value] of Object.entries(status)) {
    if (Number.isInteger(value) && value >= 400 && value <= 599) continue;
    throw new RangeError(`Expected \`undocumented.status.${name}\` to be from 400 to 599, got ${value}`);
  }
}
