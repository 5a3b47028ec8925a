import type { StandardSchemaV1 } from "@standard-schema/spec";
import * as sdk from "screenshot-sets";
import { createAppParams, createScreenshotsParams } from "screenshot-sets/schema";
import { expectTypeOf, test } from "vitest";

type Apps = sdk.paths["/public/v1/apps"]["post"];
type Screenshots = sdk.paths["/public/v1/screenshots"]["post"];
type Jobs = sdk.paths["/public/v1/jobs/{id}"]["get"];
type Json<Message extends { content: { "application/json": unknown } }> =
  Message["content"]["application/json"];
type JobAnswer = Json<Jobs["responses"][200]>;
/** With every field there: of one that may be left out, the parameters also say that it may be undefined. */
type Present<Value> = Value extends object
  ? { [Name in keyof Value]-?: Present<Exclude<Value[Name], undefined>> }
  : Value;

declare const client: sdk.ScreenshotSets;

test("the answers are those of the document", () => {
  expectTypeOf<sdk.App>().toEqualTypeOf<Json<Apps["responses"][200]>>();
  expectTypeOf<sdk.AcceptedJob>().toEqualTypeOf<Json<Screenshots["responses"][201]>>();
  expectTypeOf<sdk.Credits>().toEqualTypeOf<sdk.AcceptedJob["credits"]>();
  expectTypeOf<sdk.JobStatus>().toEqualTypeOf<JobAnswer["status"]>();
  expectTypeOf<sdk.JobResult>().toEqualTypeOf<NonNullable<JobAnswer["result"]>>();
  expectTypeOf<sdk.Slide>().toEqualTypeOf<sdk.JobResult["slides"][number]>();
  expectTypeOf<sdk.Job>().toExtend<JobAnswer>();
  expectTypeOf<keyof JobAnswer>().toEqualTypeOf<keyof sdk.Job>();
});

test("the parameters are those of the document, but for the count that may be left out", () => {
  expectTypeOf<Present<sdk.CreateAppParams>>().toEqualTypeOf<Present<Json<Apps["requestBody"]>>>();
  type Body = Json<Screenshots["requestBody"]>;
  expectTypeOf<Body>().toExtend<sdk.CreateScreenshotsParams>();
  expectTypeOf<Present<sdk.CreateScreenshotsParams>>().toEqualTypeOf<Present<Body>>();
  expectTypeOf<sdk.CreateScreenshotsParams["count"]>().toEqualTypeOf<Body["count"] | undefined>();
  expectTypeOf<sdk.Device>().toEqualTypeOf<NonNullable<Body["device"]>>();
  // A document may leave open which devices there are.
  expectTypeOf<
    string extends sdk.Device ? string : (typeof sdk.devices)[number]
  >().toEqualTypeOf<sdk.Device>();
});

test("a job is told apart by its status", () => {
  expectTypeOf<sdk.Job["status"]>().toEqualTypeOf<sdk.JobStatus>();
  expectTypeOf<Extract<sdk.Job, { status: "succeeded" }>>().toEqualTypeOf<sdk.SucceededJob>();
  expectTypeOf<Extract<sdk.Job, { status: "failed" }>>().toEqualTypeOf<sdk.FailedJob>();
  expectTypeOf<sdk.SucceededJob["result"]>().toEqualTypeOf<sdk.JobResult>();
  expectTypeOf<sdk.QueuedJob["result"]>().toBeNull();
  expectTypeOf<sdk.RunningJob["error"]>().toBeNull();
  expectTypeOf<sdk.FailedJob["error"]>().toEqualTypeOf<NonNullable<JobAnswer["error"]>>();
  const job = {} as sdk.Job;
  if (job.status === "succeeded") expectTypeOf(job).toEqualTypeOf<sdk.SucceededJob>();
  if (sdk.isTerminal(job)) expectTypeOf(job).toEqualTypeOf<sdk.SucceededJob | sdk.FailedJob>();
});

test("a store URL is needed, by type", () => {
  // @ts-expect-error a URL that is null is none
  expectTypeOf<{ iosUrl: null }>().toExtend<sdk.CreateAppParams>();
  // @ts-expect-error neither URL
  expectTypeOf<{ extraContext: string }>().toExtend<sdk.CreateAppParams>();
  expectTypeOf<{ iosUrl: string }>().toExtend<sdk.CreateAppParams>();
  expectTypeOf<{ androidUrl: string }>().toExtend<sdk.CreateAppParams>();
  expectTypeOf<{ iosUrl: string; androidUrl: string }>().toExtend<sdk.CreateAppParams>();
  // What a web handler has of a request: that one of them is there is checked at run time.
  type Given = { iosUrl: string | undefined; androidUrl?: string; extraContext?: string | undefined };
  expectTypeOf<Given>().toExtend<sdk.CreateAppParams>();
  expectTypeOf<{
    iosUrl: string | undefined;
    androidUrl: string | undefined;
  }>().toExtend<sdk.CreateAppParams>();
});

test("the methods resolve to what they promise", () => {
  expectTypeOf(client.apps.create).returns.resolves.toEqualTypeOf<sdk.App>();
  expectTypeOf(client.screenshots.create).returns.resolves.toEqualTypeOf<sdk.AcceptedJob>();
  expectTypeOf(client.screenshots.createAndWait).returns.resolves.toExtend<
    sdk.SucceededJob & { credits: sdk.Credits }
  >();
  expectTypeOf(client.jobs.get).returns.resolves.toEqualTypeOf<sdk.Job>();
  expectTypeOf(client.waitForJob).returns.resolves.toEqualTypeOf<sdk.SucceededJob>();
  expectTypeOf(client.watchJob).returns.toEqualTypeOf<AsyncIterable<sdk.Job>>();
});

test("client.request is typed by path and method", () => {
  const get = () => client.request("GET", "/public/v1/jobs/{id}", { params: { path: { id: "job" } } });
  expectTypeOf(get).returns.resolves.toEqualTypeOf<JobAnswer>();
  const post = () =>
    client.request("POST", "/public/v1/apps", { body: { iosUrl: "https://apps.apple.com/app/id1" } });
  expectTypeOf(post).returns.resolves.toEqualTypeOf<sdk.App>();
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

test("the schemas of the parameters are Standard Schemas", () => {
  expectTypeOf(createAppParams).toExtend<StandardSchemaV1<sdk.CreateAppParams>>();
  expectTypeOf(createScreenshotsParams).toExtend<StandardSchemaV1<sdk.CreateScreenshotsParams>>();
});
