import { slides } from "../../generated/samples.js";
import { setCost } from "../../generated/values.js";
import { endOf } from "../../job-end.js";
import { type Check, callback, count, flag, optional, type Table } from "../../options/read-options.js";
import { isRecord } from "../../schema/parse.js";
import { nested } from "../read-mock-options.js";
import {
  documentedError,
  documentedStatuses,
  type GuessedReason,
  type RefusalCode,
  type RefusalReason,
  refusalReasons,
} from "../refusal-reasons.js";
import type { RecordedCourse } from "./course.js";
import { plainCopy } from "./plain-copy.js";
import type { Recorded, RecordedSet } from "./recorded.js";
import type { OperationName } from "./routes.js";

/** What the service's document may leave open, which the mock then fills in. Each part can be replaced. */
export interface Undocumented {
  /**
   * The JSON body of an error.
   * @default ({ code, message }) => ({ error: { code, message } }), or what the OpenAPI document describes
   */
  errorBody?: ((error: ErrorContext) => unknown) | undefined;
  /**
   * The statuses of refusals other than 401.
   * @default { insufficientCredits: 402, invalidRequest: 400, notFound: 404 }, or what the OpenAPI document lists
   */
  status?: { [Reason in GuessedReason]?: number | undefined } | undefined;
  /**
   * One slide of a succeeded job.
   * @default an index and a caption, or the fields in the OpenAPI document once it describes slides
   */
  slide?: ((slide: SlideContext) => unknown) | undefined;
  /**
   * The cost of an app, in credits.
   * @default 0
   */
  appCost?: number | undefined;
  /**
   * Whether a failed job is refunded, with a separate ledger row.
   * @default false
   */
  refundFailedJobs?: boolean | undefined;
}

/** The input for making a slide. */
export interface SlideContext {
  /** The index of the slide, from 0. */
  index: number;
  /** The number of slides in the set. */
  count: number;
  /** The device of the set. */
  device: string;
  /** The job that plans the set. */
  jobId: string;
  /** The app of the set. */
  appId: string;
}

/** The input for making an error body. */
export interface ErrorContext {
  /** The status of the answer. */
  status: number;
  /** What went wrong, for programs. It is filled in like the rest of the body. */
  code: RefusalCode | "fault";
  /** What went wrong, for people. */
  message: string;
  /** Undefined if the request matches no operation of the document. */
  operation: OperationName | undefined;
}

/** `Undocumented` with what the mock fills in. */
type Filled = { [Key in Exclude<keyof Undocumented, "status">]-?: Exclude<Undocumented[Key], undefined> };

const defaults: Filled = {
  errorBody: ({ code, message }) => ({ error: { code, message } }),
  slide: defaultSlide,
  appCost: 0,
  refundFailedJobs: false,
};

const isGuessed = (reason: RefusalReason): reason is GuessedReason =>
  refusalReasons[reason].code !== "unauthorized";

const statusTable = Object.fromEntries(
  (Object.keys(refusalReasons) as RefusalReason[])
    .filter(isGuessed)
    .map((reason) => [reason, optional(count(undefined, 400, 599))]),
) as Record<GuessedReason, Check<number | undefined>>;

/** The check of the option `undocumented`. */
export const undocumentedOption = nested({
  errorBody: callback<Filled["errorBody"]>(),
  slide: callback<Filled["slide"]>(),
  appCost: optional(count()),
  refundFailedJobs: optional(flag),
  status: nested(statusTable),
} satisfies Table<Undocumented>);

/**
 * The name of something that the mock fills in, as in `undocumented`; `not_played` for a whole operation of the document
 * that the mock does not play.
 */
export type Guess = Exclude<keyof Undocumented, "status"> | `status.${GuessedReason}` | "not_played";

/** The name of something that was recorded: of what would else be filled in, of the price, or of a failed job's error. */
export type RecordedPart = "errorBody" | "slide" | `status.${GuessedReason}` | "setCost" | "jobError";

/** What an answer holds: a `body` of JSON, or a text. */
export interface Content {
  body?: unknown;
  text?: string | undefined;
  mediaType?: string | undefined;
}

/** What an answer rests on, besides the service's document. */
export interface Sources {
  guesses: Guess[];
  recorded: RecordedPart[];
}

/**
 * What the mock fills in where the service's document leaves it open, and the check of a strict mock. What `undocumented`
 * configures comes first, then what was recorded, then the document; the mock makes up the rest.
 */
export class Guesses implements Filled {
  readonly errorBody: Filled["errorBody"];
  readonly slide: Filled["slide"];
  readonly appCost: number;
  readonly refundFailedJobs: boolean;
  readonly #isStrict: boolean;
  readonly #configured: ReadonlySet<string>;
  readonly #statuses: Partial<Record<RefusalReason, number>>;
  readonly #refusals: NonNullable<Recorded["refusals"]>;
  /** What was seen of a set. */
  readonly set: Readonly<RecordedSet>;
  /** The course of its job, or what that is without a recording. */
  readonly course: RecordedCourse;

  /**
   * @param undocumented after its checks
   * @param isStrict whether the mock may make up only what `undocumented` configures
   */
  constructor(undocumented: Undocumented, { refusals = {}, set = {} }: Recorded, isStrict: boolean) {
    const { status = {}, ...own } = withoutUndefined(undocumented);
    const { errorBody, slide, appCost, refundFailedJobs } = { ...defaults, ...own };
    this.errorBody = errorBody;
    this.slide = slide;
    this.appCost = appCost;
    this.refundFailedJobs = refundFailedJobs;
    this.#isStrict = isStrict;
    this.#statuses = withoutUndefined(status);
    const statuses = Object.keys(this.#statuses).map((reason) => `status.${reason}`);
    this.#configured = new Set([...Object.keys(own), ...statuses]);
    this.#refusals = refusals;
    this.set = set;
    this.course = courseOf(set);
  }

  /** How a request is refused. */
  refusal(
    reason: RefusalReason,
    operation: OperationName | undefined,
    message: string,
  ): { status: number } & Content & Sources {
    const { code, statuses } = refusalReasons[reason];
    const own = this.#statuses[reason];
    const seen = operation && this.#refusals[operation]?.[reason];
    const [documented] = documentedStatuses(reason, operation);
    const status = own ?? seen?.status ?? documented ?? statuses[0];

    const isBodySeen = seen !== undefined && !this.#configured.has("errorBody");
    const { guesses, recorded, ...content } = isBodySeen
      ? { ...seen, guesses: [], recorded: ["errorBody" as const] }
      : this.error({ status, code, message, operation });

    if (isGuessed(reason)) {
      const isFilledIn = own !== undefined || (seen === undefined && documented === undefined);
      if (isFilledIn) guesses.unshift(`status.${reason}`);
      else if (seen) recorded.unshift(`status.${reason}`);
    }
    return { ...content, status, guesses, recorded };
  }

  /** The body of an error that was not recorded. */
  error(context: ErrorContext): Content & Sources {
    const { mediaType = "", body } = documentedError(context.status, context.operation) ?? {};
    if (!body || this.#configured.has("errorBody")) {
      return { body: this.errorBody(context), guesses: ["errorBody"], recorded: [] };
    }
    const told = body(context);
    const content = /json/i.test(mediaType) ? { body: told } : { text: String(told) };
    return { ...content, mediaType, guesses: [], recorded: [] };
  }

  /** The price of a set, in credits. */
  get setCost(): number {
    return this.set.cost ?? setCost;
  }

  /** The slides of a set. */
  slides(set: Omit<SlideContext, "index">): readonly unknown[] {
    const { slides, count } = this.set;
    if (!slides || this.#configured.has("slide")) {
      return Array.from({ length: set.count }, (_, index) => plainCopy(this.slide({ index, ...set })));
    }
    if (set.count === count || slides.length === 0) return slides;
    return Array.from({ length: set.count }, (_, index) => slides[index % slides.length]);
  }

  /** What slides rest on that no plan gives. */
  get slideSources(): Sources {
    if (this.#configured.has("slide")) return { guesses: ["slide"], recorded: [] };
    if (this.set.slides) return { guesses: [], recorded: ["slide"] };
    return { guesses: slides.length > 0 ? [] : ["slide"], recorded: [] };
  }

  /** @throws in a strict mock, if one of `guesses` was not configured in `undocumented` */
  check(guesses: Guess[], operation: OperationName | undefined): void {
    if (!this.#isStrict) return;
    const unconfigured = guesses.filter((guess) => !this.#configured.has(guess));
    if (unconfigured.length > 0) throw undocumentedError(unconfigured, operation);
  }
}

function courseOf({
  states = ["queued", "running", "succeeded"],
  slides,
  error,
}: RecordedSet): RecordedCourse {
  const end = states.at(-1) ?? "";
  const outcome =
    endOf({ status: end, result: slides, error }) ?? (error === undefined ? "succeeded" : "failed");
  return { before: states.slice(0, -1), outcome, end };
}

/** A slide as described by the OpenAPI document or, as long as it describes none, one with an index and a caption. */
function defaultSlide({ index, count }: SlideContext): unknown {
  if (slides.length === 0) return { index, caption: `Slide ${index + 1} of ${count}` };
  const place = index % slides.length;
  const slide = slides[place];
  // A set may have more slides than there are samples.
  const isNumbered = isRecord(slide) && typeof slide.index === "number";
  return isNumbered ? { ...slide, index: Number(slide.index) + index - place } : slide;
}

/** Not a `TypeError` and without a `code`, so that clients do not mistake it for a network failure and retry. */
function undocumentedError(guesses: Guess[], operation: OperationName | undefined): Error {
  const names = guesses.map((guess) => `\`${guess}\``).join(" and ");
  const message = guesses.includes("not_played")
    ? notPlayed(operation)
    : `Failed to answer ${operation ?? "a request"}: the mock would have to fill in ${names}, which the service does not document. ` +
      "Please give what you expect as `undocumented` to createMock, or leave out `strict`.";
  const error = new Error(message);
  return Object.assign(error, { name: "UndocumentedError", guesses });
}

/** Says that the mock does not play an operation, and what to do. */
export function notPlayed(operation: OperationName | undefined): string {
  const advice = `mock.fault({ status: 200, body }, { operation: "${operation}" })`;
  return `The mock does not play ${operation}. Please give its answer as a fault: \`${advice}\`.`;
}

function withoutUndefined<T extends object>(values: T) {
  type Given = { [Key in keyof T]: Exclude<T[Key], undefined> };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given;
}
