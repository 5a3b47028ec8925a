import type { paths } from "./generated/openapi.js";
import type { deprecatedCalls } from "./generated/values.js";

export type { paths };

type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206 | "2XX";
type JsonOf<Message> = Message extends { content: { "application/json": infer Body } } ? Body : undefined;
/** The type of a field; `unknown` if a later document has no such field. */
type FieldOf<T, Name extends string> = T extends { [Key in Name]?: infer Value } ? Value : unknown;
/** Replaces a union of the same values with `Device`, so that compilers show its name. */
type Named<T> = [T] extends [Device] ? ([Device] extends [T] ? Device : T) : T;
/** Allows `undefined` for optional fields, even with `exactOptionalPropertyTypes`. */
export type Undefinable<T> = T extends object
  ? {
      [Key in keyof T]: Undefinable<T[Key]> | (Record<never, never> extends Pick<T, Key> ? undefined : never);
    }
  : T;

/** The names of fields that some part of a union may lack. */
type OptionalIn<Union> = Union extends object
  ? { [Key in keyof Union]-?: Record<never, never> extends Pick<Union, Key> ? Key : never }[keyof Union]
  : never;
/** Allows each part of a union to be `undefined` in a field that another part may lack, as values of a form may be. */
type Loosened<Part, Optional> = Part extends object
  ? { [Key in keyof Part]: Part[Key] | (Key extends Optional ? undefined : never) }
  : Part;

/** The calls of a resource, with those of `Deprecated` in their place once the document deprecates the operation. */
export type Marked<Call extends string, Calls, Deprecated> = Call extends (typeof deprecatedCalls)[number]
  ? Omit<Calls, keyof Deprecated> & Deprecated
  : Calls;

/** The JSON body of an operation's request. */
export type BodyOf<Operation> = Operation extends { requestBody?: infer Body }
  ? JsonOf<NonNullable<Body>>
  : undefined;

/** The JSON body of an operation's 2xx answers; `undefined` if they have none. */
export type AnswerOf<Operation> = Operation extends { responses: infer Responses }
  ? JsonOf<Responses[keyof Responses & SuccessStatus]>
  : never;

// Each export below is declared as a type of its own, so that compilers show it by its name.
type AppBody = Undefinable<BodyOf<paths["/public/v1/apps"]["post"]>>;
type AppAnswer = AnswerOf<paths["/public/v1/apps"]["post"]>;
type SetBody = BodyOf<paths["/public/v1/screenshots"]["post"]>;
type SetParams = Undefinable<Omit<SetBody, "count"> & Partial<Pick<SetBody, "count">>>;
type SetAnswer = AnswerOf<paths["/public/v1/screenshots"]["post"]>;
type JobAnswer = AnswerOf<paths["/public/v1/jobs/{id}"]["get"]>;
type ResultAnswer = NonNullable<JobAnswer["result"]>;
type SlideAnswer = ResultAnswer["slides"][number];
type JobIn<Status> = Omit<JobAnswer, "status" | "result" | "error"> & {
  /** The current status of the job. */
  status: Status;
  /** The planned set; `null` unless the job has succeeded. */
  result: Shown<Status, "succeeded", JobResult>;
  /** Why the job failed; `null` unless it did. */
  error: Shown<Status, "failed", NonNullable<FieldOf<JobAnswer, "error">>>;
};
/** What a job shows once it has ended so. One of a status that the SDK does not know may show it or not. */
type Shown<Status, End, Value> = Status extends End
  ? Value
  : Status extends keyof NamedJobs
    ? null
    : Value | null;

/** The job of each status that the SDK knows, under the name that compilers show. */
interface NamedJobs {
  queued: QueuedJob;
  running: RunningJob;
  succeeded: SucceededJob;
  failed: FailedJob;
}
type JobBy<Status> = Status extends keyof NamedJobs ? NamedJobs[Status] : JobIn<Status>;

/**
 * The parameters of `apps.create` (`createApp`, `POST /public/v1/apps`): `iosUrl`, `androidUrl` or both. Either may be
 * `undefined`; that there is one is checked when it is called.
 */
export type CreateAppParams = Loosened<AppBody, OptionalIn<AppBody>>;
/**
 * The parameters of `screenshots.create` (`createScreenshots`, `POST /public/v1/screenshots`). `count` is optional:
 * without it, the SDK sends the document's default.
 * @interface
 */
export type CreateScreenshotsParams = { [Name in keyof SetParams]: Named<SetParams[Name]> };

/**
 * An app read from a store listing, as `createApp` returns it.
 * @interface
 */
export type App = { [Name in keyof AppAnswer]: AppAnswer[Name] };
/**
 * A screenshot set that was accepted and charged, as `createScreenshots` returns it.
 * @interface
 */
export type AcceptedJob = { [Name in keyof SetAnswer]: Name extends "credits" ? Credits : SetAnswer[Name] };
/**
 * The credits charged for a job, and those left in the month's allowance afterwards.
 * @interface
 */
export type Credits = { [Name in keyof SetAnswer["credits"]]: SetAnswer["credits"][Name] };
/** A device that a set can be planned for. */
export type Device = NonNullable<FieldOf<SetBody, "device">>;

/** The status of a job, as `getJob` returns it. The service may return one that this version does not know. */
export type JobStatus = JobAnswer["status"];
/**
 * The result of a succeeded job.
 * @interface
 */
export type JobResult = {
  [Name in keyof ResultAnswer]: Name extends "slides" ? Slide[] : Named<ResultAnswer[Name]>;
};
/** One slide of a set, with the fields that the service documents. Of several kinds, each keeps its own. */
export type Slide = SlideAnswer extends infer Kind ? { [Name in keyof Kind]: Kind[Name] } : never;
/**
 * A job (`getJob`, `GET /public/v1/jobs/{id}`): queued, running, succeeded or failed, depending on its `status`. Of any
 * other status, its `error` and its `result` say how it is: see `isTerminal`.
 */
export type Job = { [Status in JobStatus]: JobBy<Status> }[JobStatus];
/**
 * A job that has not started yet.
 * @interface
 */
export type QueuedJob = { [Name in keyof JobIn<"queued">]: JobIn<"queued">[Name] };
/**
 * A job that is being worked on.
 * @interface
 */
export type RunningJob = { [Name in keyof JobIn<"running">]: JobIn<"running">[Name] };
/**
 * A job that has succeeded, with its `result`.
 * @interface
 */
export type SucceededJob = { [Name in keyof JobIn<"succeeded">]: JobIn<"succeeded">[Name] };
/**
 * A job that has failed, with its `error`.
 * @interface
 */
export type FailedJob = { [Name in keyof JobIn<"failed">]: JobIn<"failed">[Name] };
/**
 * What `createAndWait` resolves to: the succeeded job, with the credits from its acceptance.
 * @interface
 */
export type PlannedSet = SucceededJob & Pick<AcceptedJob, "credits">;
