import type { paths } from "./generated/openapi.js";

export type { paths };

type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206 | "2XX";
type JsonOf<Message> = Message extends { content: { "application/json": infer Body } } ? Body : undefined;
/** What a field holds; `unknown` where a later document has no such field. */
type FieldOf<T, Name extends string> = T extends { [Key in Name]?: infer Value } ? Value : unknown;
/** `Device` by its name where a type lists the same values. */
type Named<T> = [T] extends [Device] ? ([Device] extends [T] ? Device : T) : T;
/** With `undefined` for what may be left out, also where `exactOptionalPropertyTypes` tells the two apart. */
export type Undefinable<T> = T extends object
  ? {
      [Key in keyof T]: Undefinable<T[Key]> | (Record<never, never> extends Pick<T, Key> ? undefined : never);
    }
  : T;

/** The JSON body that an operation takes. */
export type BodyOf<Operation> = Operation extends { requestBody?: infer Body }
  ? JsonOf<NonNullable<Body>>
  : undefined;

/** What an operation's 2xx answers hold; `undefined` where they have no JSON. */
export type AnswerOf<Operation> = Operation extends { responses: infer Responses }
  ? JsonOf<Responses[keyof Responses & SuccessStatus]>
  : never;

// What is exported below is each written as a type of its own, so that compilers show it by its name.
type AppAnswer = AnswerOf<paths["/public/v1/apps"]["post"]>;
type SetBody = BodyOf<paths["/public/v1/screenshots"]["post"]>;
type SetParams = Undefinable<Omit<SetBody, "count"> & Partial<Pick<SetBody, "count">>>;
type SetAnswer = AnswerOf<paths["/public/v1/screenshots"]["post"]>;
type JobAnswer = AnswerOf<paths["/public/v1/jobs/{id}"]["get"]>;
type ResultAnswer = NonNullable<JobAnswer["result"]>;
type SlideAnswer = ResultAnswer["slides"][number];
type JobIn<Status> = Omit<JobAnswer, "status" | "result" | "error"> & {
  /** Where the job stands. */
  status: Status;
  /** What was planned; `null` until the job has succeeded. */
  result: Status extends "succeeded" ? JobResult : null;
  /** Why the job failed; `null` unless it has. Its fields are not documented. */
  error: Status extends "failed" ? NonNullable<FieldOf<JobAnswer, "error">> : null;
};

/** A job of each status that the document lists today, under the name that the compiler shows. */
interface NamedJobs {
  queued: QueuedJob;
  running: RunningJob;
  succeeded: SucceededJob;
  failed: FailedJob;
}
type JobBy<Status> = Status extends keyof NamedJobs ? NamedJobs[Status] : JobIn<Status>;

/** What `apps.create` takes (`createApp`, `POST /public/v1/apps`): `iosUrl`, `androidUrl` or both. */
export type CreateAppParams = Undefinable<BodyOf<paths["/public/v1/apps"]["post"]>>;
/**
 * What `screenshots.create` takes (`createScreenshots`, `POST /public/v1/screenshots`). `count` may be left out: the
 * document's default is sent.
 * @interface
 */
export type CreateScreenshotsParams = { [Name in keyof SetParams]: Named<SetParams[Name]> };

/**
 * An app read from a store listing, as `createApp` answers.
 * @interface
 */
export type App = { [Name in keyof AppAnswer]: AppAnswer[Name] };
/**
 * A screenshot set that was accepted and charged, as `createScreenshots` answers.
 * @interface
 */
export type AcceptedJob = { [Name in keyof SetAnswer]: Name extends "credits" ? Credits : SetAnswer[Name] };
/**
 * Credits charged for a job, and left in the month's allowance after it.
 * @interface
 */
export type Credits = { [Name in keyof SetAnswer["credits"]]: SetAnswer["credits"][Name] };
/** A device that a set can be planned for. */
export type Device = NonNullable<FieldOf<SetBody, "device">>;

/** The state of a job, as `getJob` answers. An SDK already shipped may meet one that it does not know. */
export type JobStatus = JobAnswer["status"];
/**
 * What a succeeded job holds.
 * @interface
 */
export type JobResult = {
  [Name in keyof ResultAnswer]: Name extends "slides" ? Slide[] : Named<ResultAnswer[Name]>;
};
/** One slide of a set. The service does not document its fields. */
export type Slide = { [Name in keyof SlideAnswer]: SlideAnswer[Name] };
/** A job (`getJob`, `GET /public/v1/jobs/{id}`): queued, running, succeeded or failed, told apart by its `status`. */
export type Job = { [Status in JobStatus]: JobBy<Status> }[JobStatus];
/**
 * A job that has not begun.
 * @interface
 */
export type QueuedJob = { [Name in keyof JobIn<"queued">]: JobIn<"queued">[Name] };
/**
 * A job that is being worked on.
 * @interface
 */
export type RunningJob = { [Name in keyof JobIn<"running">]: JobIn<"running">[Name] };
/**
 * A job whose `result` is there.
 * @interface
 */
export type SucceededJob = { [Name in keyof JobIn<"succeeded">]: JobIn<"succeeded">[Name] };
/**
 * A job whose `error` says why. The fields of `error` are not documented.
 * @interface
 */
export type FailedJob = { [Name in keyof JobIn<"failed">]: JobIn<"failed">[Name] };
/**
 * What `createAndWait` resolves to: the job that succeeded, and the credits that it cost.
 * @interface
 */
export type PlannedSet = SucceededJob & Pick<AcceptedJob, "credits">;
