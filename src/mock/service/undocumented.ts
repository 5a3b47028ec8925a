import { type Check, callback, count, flag, optional, type Table } from "../../options/read-options.js";
import { nested } from "../read-mock-options.js";
import { type GuessedReason, guessedReasons, type RefusalCode } from "../refusal-reasons.js";
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

const statusTable = Object.fromEntries(
  guessedReasons.map((reason) => [reason, optional(count(undefined, 400, 599))]),
) as Record<GuessedReason, Check<number | undefined>>;

/** The check of the option `undocumented`. */
export const undocumentedOption = nested({
  errorBody: callback<(error: ErrorContext) => unknown>(),
  slide: callback<(slide: SlideContext) => unknown>(),
  appCost: optional(count()),
  refundFailedJobs: optional(flag),
  status: nested(statusTable),
} satisfies Table<Undocumented>);
