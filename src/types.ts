import type { paths } from "./generated/openapi.js";

export type { paths };

type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206 | "2XX";
type JsonOf<Message> = Message extends { content: { "application/json": infer Body } } ? Body : undefined;
/** What a field holds; `unknown` where a later document has no such field. */
type FieldOf<T, Name extends string> = T extends { [Key in Name]?: infer Value } ? Value : unknown;
type Simplify<T> = { [Key in keyof T]: T[Key] };

/** The JSON body that an operation takes. */
export type BodyOf<Operation> = Operation extends { requestBody?: infer Body }
  ? JsonOf<NonNullable<Body>>
  : undefined;

/** What an operation's 2xx answers hold; `undefined` where they have no JSON. */
export type AnswerOf<Operation> = Operation extends { responses: infer Responses }
  ? JsonOf<Responses[keyof Responses & SuccessStatus]>
  : never;

type CreateScreenshotsBody = BodyOf<paths["/public/v1/screenshots"]["post"]>;
type JobAnswer = AnswerOf<paths["/public/v1/jobs/{id}"]["get"]>;
type JobIn<Status> = Simplify<
  Omit<JobAnswer, "status" | "result" | "error"> & {
    /** Where the job stands. */
    status: Status;
    /** What was planned; `null` until the job has succeeded. */
    result: Status extends "succeeded" ? JobResult : null;
    /** Why the job failed; `null` unless it has. Its fields are not documented. */
    error: Status extends "failed" ? NonNullable<FieldOf<JobAnswer, "error">> : null;
  }
>;

/** What `apps.create` takes: `iosUrl`, `androidUrl` or both (section 4.1 of the service's document). */
export type CreateAppParams = BodyOf<paths["/public/v1/apps"]["post"]>;
/**
 * What `screenshots.create` takes (section 4.2). `count` may be left out: the document's default is sent.
 * @interface
 */
export type CreateScreenshotsParams = Simplify<
  Omit<CreateScreenshotsBody, "count"> & Partial<Pick<CreateScreenshotsBody, "count">>
>;

/**
 * An app read from a store listing (section 2).
 * @interface
 */
export type App = AnswerOf<paths["/public/v1/apps"]["post"]>;
/**
 * A screenshot set that was accepted and charged (section 2).
 * @interface
 */
export type AcceptedJob = AnswerOf<paths["/public/v1/screenshots"]["post"]>;
/**
 * Credits charged for a job, and left in the month's allowance after it (section 2).
 * @interface
 */
export type Credits = AcceptedJob["credits"];
/** A device that a set can be planned for (section 2). */
export type Device = NonNullable<FieldOf<CreateScreenshotsBody, "device">>;

/** The state of a job (section 3). An SDK already shipped may meet one that it does not know. */
export type JobStatus = JobAnswer["status"];
/**
 * What a succeeded job holds (section 2).
 * @interface
 */
export type JobResult = NonNullable<JobAnswer["result"]>;
/** One slide of a set. The service does not document its fields. */
export type Slide = JobResult["slides"][number];
/** A job (section 2): `QueuedJob`, `RunningJob`, `SucceededJob` or `FailedJob`, told apart by its `status`. */
export type Job = { [Status in JobStatus]: JobIn<Status> }[JobStatus];
/**
 * A job that has not begun.
 * @interface
 */
export type QueuedJob = JobIn<"queued">;
/**
 * A job that is being worked on.
 * @interface
 */
export type RunningJob = JobIn<"running">;
/**
 * A job whose `result` is there.
 * @interface
 */
export type SucceededJob = JobIn<"succeeded">;
/**
 * A job whose `error` says why. The fields of `error` are not documented.
 * @interface
 */
export type FailedJob = JobIn<"failed">;
/**
 * What `createAndWait` resolves to: the job that succeeded, and the credits that it cost.
 * @interface
 */
export type PlannedSet = SucceededJob & Pick<AcceptedJob, "credits">;
