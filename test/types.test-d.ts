import {
  type AcceptedJob,
  type App,
  type CreateAppParams,
  type CreateScreenshotsParams,
  type Credits,
  type Device,
  type devices,
  type FailedJob,
  isTerminal,
  type Job,
  type JobResult,
  type JobStatus,
  type paths,
  type QueuedJob,
  type RunningJob,
  type ScreenshotSets,
  type Slide,
  type SucceededJob,
} from "screenshot-sets";
import { expectTypeOf, test } from "vitest";
import type { z } from "zod/mini";
import type { createApp, createScreenshots, getJob } from "../src/generated/operations.js";

type Apps = paths["/public/v1/apps"]["post"];
type Screenshots = paths["/public/v1/screenshots"]["post"];
type Jobs = paths["/public/v1/jobs/{id}"]["get"];
type Json<Message extends { content: { "application/json": unknown } }> =
  Message["content"]["application/json"];
type JobAnswer = Json<Jobs["responses"][200]>;
type Output<Schema extends () => z.core.$ZodType> = z.output<ReturnType<Schema>>;
/** With every field there: of one that may be left out, the parameters also say that it may be undefined. */
type Present<Value> = Value extends object
  ? { [Name in keyof Value]-?: Present<Exclude<Value[Name], undefined>> }
  : Value;
/**
 * What the schemas check of a type: its named fields, with every one there (of one that may be left out, the schemas also
 * say that it may be undefined), and no values, as an answer may hold others.
 */
type Checked<Value> = Value extends string
  ? string
  : Value extends number
    ? number
    : Value extends boolean
      ? boolean
      : Value extends readonly (infer Item)[]
        ? Checked<Item>[]
        : Value extends object
          ? {
              [Name in keyof Value as string extends Name ? never : Name]-?: Checked<
                Exclude<Value[Name], undefined>
              >;
            }
          : Value;

declare const client: ScreenshotSets;

test("the answers are those of the document", () => {
  expectTypeOf<App>().toEqualTypeOf<Json<Apps["responses"][200]>>();
  expectTypeOf<AcceptedJob>().toEqualTypeOf<Json<Screenshots["responses"][201]>>();
  expectTypeOf<Credits>().toEqualTypeOf<AcceptedJob["credits"]>();
  expectTypeOf<JobStatus>().toEqualTypeOf<JobAnswer["status"]>();
  expectTypeOf<JobResult>().toEqualTypeOf<NonNullable<JobAnswer["result"]>>();
  expectTypeOf<Slide>().toEqualTypeOf<JobResult["slides"][number]>();
  expectTypeOf<Job>().toExtend<JobAnswer>();
  expectTypeOf<keyof JobAnswer>().toEqualTypeOf<keyof Job>();
});

test("the parameters are those of the document, but for the count that may be left out", () => {
  expectTypeOf<Present<CreateAppParams>>().toEqualTypeOf<Present<Json<Apps["requestBody"]>>>();
  type Body = Json<Screenshots["requestBody"]>;
  expectTypeOf<Body>().toExtend<CreateScreenshotsParams>();
  expectTypeOf<Present<CreateScreenshotsParams>>().toEqualTypeOf<Present<Body>>();
  expectTypeOf<CreateScreenshotsParams["count"]>().toEqualTypeOf<Body["count"] | undefined>();
  expectTypeOf<Device>().toEqualTypeOf<NonNullable<Body["device"]>>();
  // A document may leave open which devices there are.
  expectTypeOf<string extends Device ? string : (typeof devices)[number]>().toEqualTypeOf<Device>();
});

test("a job is told apart by its status", () => {
  expectTypeOf<Job["status"]>().toEqualTypeOf<JobStatus>();
  expectTypeOf<Extract<Job, { status: "succeeded" }>>().toEqualTypeOf<SucceededJob>();
  expectTypeOf<Extract<Job, { status: "failed" }>>().toEqualTypeOf<FailedJob>();
  expectTypeOf<SucceededJob["result"]>().toEqualTypeOf<JobResult>();
  expectTypeOf<QueuedJob["result"]>().toBeNull();
  expectTypeOf<RunningJob["error"]>().toBeNull();
  expectTypeOf<FailedJob["error"]>().toEqualTypeOf<NonNullable<JobAnswer["error"]>>();
  const job = {} as Job;
  if (job.status === "succeeded") expectTypeOf(job).toEqualTypeOf<SucceededJob>();
  if (isTerminal(job)) expectTypeOf(job).toEqualTypeOf<SucceededJob | FailedJob>();
});

test("the run-time schemas give what the types say, with open strings for values that an answer may add", () => {
  expectTypeOf<App>().toExtend<Output<typeof createApp.answer>>();
  expectTypeOf<Checked<Output<typeof createApp.answer>>>().toExtend<Checked<App>>();
  expectTypeOf<AcceptedJob>().toExtend<Output<typeof createScreenshots.answer>>();
  expectTypeOf<Checked<Output<typeof createScreenshots.answer>>>().toExtend<Checked<AcceptedJob>>();
  expectTypeOf<Job>().toExtend<Output<typeof getJob.answer>>();
  expectTypeOf<keyof JobAnswer>().toExtend<keyof Output<typeof getJob.answer>>();
});

test("a store URL is needed, by type", () => {
  // @ts-expect-error a URL that is null is none
  expectTypeOf<{ iosUrl: null }>().toExtend<CreateAppParams>();
  // @ts-expect-error neither URL
  expectTypeOf<{ extraContext: string }>().toExtend<CreateAppParams>();
  expectTypeOf<{ iosUrl: string }>().toExtend<CreateAppParams>();
  expectTypeOf<{ androidUrl: string }>().toExtend<CreateAppParams>();
  expectTypeOf<{ iosUrl: string; androidUrl: string }>().toExtend<CreateAppParams>();
});

test("the methods resolve to what they promise", () => {
  expectTypeOf(client.apps.create).returns.resolves.toEqualTypeOf<App>();
  expectTypeOf(client.screenshots.create).returns.resolves.toEqualTypeOf<AcceptedJob>();
  expectTypeOf(client.screenshots.createAndWait).returns.resolves.toExtend<
    SucceededJob & { credits: Credits }
  >();
  expectTypeOf(client.jobs.get).returns.resolves.toEqualTypeOf<Job>();
  expectTypeOf(client.waitForJob).returns.resolves.toEqualTypeOf<SucceededJob>();
  expectTypeOf(client.watchJob).returns.toEqualTypeOf<AsyncIterable<Job>>();
});

test("client.request is typed by path and method", () => {
  const get = () => client.request("GET", "/public/v1/jobs/{id}", { params: { path: { id: "job" } } });
  expectTypeOf(get).returns.resolves.toEqualTypeOf<JobAnswer>();
  const post = () =>
    client.request("POST", "/public/v1/apps", { body: { iosUrl: "https://apps.apple.com/app/id1" } });
  expectTypeOf(post).returns.resolves.toEqualTypeOf<App>();
  // @ts-expect-error the id is missing
  void (() => client.request("GET", "/public/v1/jobs/{id}"));
  // @ts-expect-error a value that the document does not know needs a cast
  void (() => client.request("POST", "/public/v1/apps", { body: { iosUrl: 7 } }));
});

test("client.request takes what the document does not have, and resolves to what it is told", () => {
  const put = () => client.request("PUT", "/public/v1/jobs/{id}", { params: { path: { id: "job" } } });
  expectTypeOf(put).returns.resolves.toBeUnknown();
  const list = () =>
    client.request<{ jobs: string[] }>("GET", "/public/v1/jobs", { params: { query: { n: 1 } } });
  expectTypeOf(list).returns.resolves.toEqualTypeOf<{ jobs: string[] }>();
  // @ts-expect-error no method of HTTP
  void (() => client.request("get", "/public/v1/jobs"));
});
