import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { InvalidRequestError } from "screenshot-sets";
import { beforeAll, expect, test } from "vitest";
import { problemsIn } from "../../scripts/compile/type-check.js";
import { changed, type Document, generate, load } from "../helpers/generated-module.js";
import { rejection } from "../helpers/rejection.js";
import { repository } from "../helpers/repository.js";
import { temporaryFolder } from "../helpers/temporary-folder.js";
import { releaseAll } from "./releases.js";
import { text } from "./schemas.js";
import { sdkOf } from "./sdk-of.js";

const object = (properties: object, required = Object.keys(properties)) => ({
  type: "object",
  required,
  properties,
});
const parameter = (place: string, name: string, schema: object) => {
  return { name, in: place, required: place === "path", schema };
};

/** The service's document some day: other limits, other values, more that is required, and more to call. */
const later = changed(({ paths, components: { schemas } }) => {
  const { App, Credits, Job, CreateAppRequest, CreateScreenshotsRequest: set, Device } = schemas;
  const add = (schema: Document, name: string, field: object) => {
    schema.properties[name] = field;
    schema.required.push(name);
  };
  CreateAppRequest.properties.extraContext.maxLength = 3;
  Device.enum = ["iphone-69", "vision-pro"];
  Object.assign(set.properties.count, { maximum: 21, default: 7 });
  add(set, "captionLength", { ...set.properties.captionLength, default: undefined });
  const key = { ...parameter("header", "Idempotency-Key", { ...text, format: "uuid" }), required: true };
  paths["/public/v1/screenshots"].post.parameters = [key];
  const layout = { type: ["string", "null"], enum: [null, "split", "full"] };
  const device = { $ref: "#/components/schemas/Device" };
  Job.properties.result.properties.slides.items = object({ headline: text, layout, device }, ["headline"]);
  Job.properties.status.enum.push("paused");
  add(App, "rating", { type: "number" });
  add(Credits, "period", object({ ends: { ...text, format: "date-time" } }));
  add(Job, "createdAt", { ...text, format: "date-time" });
  Object.assign(
    Job.properties.error,
    object({ code: { ...text, enum: ["unreadable", "unknown"] }, message: text }),
  );
  schemas.Narrative = object({ slug: text });
  schemas.Place = { type: "integer", minimum: 0 };
  paths["/public/v1/apps/{appId}/slides/{number}"] = {
    delete: {
      operationId: "deleteSlide",
      parameters: [
        parameter("path", "appId", text),
        parameter("path", "number", { $ref: "#/components/schemas/Place" }),
      ],
      responses: { 204: { description: "Done." } },
    },
  };
  const schema = { type: "array", items: { $ref: "#/components/schemas/Narrative" } };
  const list = { type: "array", items: text };
  const map = { type: "object", additionalProperties: text };
  paths["/public/v1/gained/{kind}"] = {
    get: {
      operationId: "listGained",
      parameters: [
        parameter("path", "kind", text),
        parameter("query", "locale", text),
        { ...parameter("query", "piped", list), style: "pipeDelimited", explode: false },
        { ...parameter("query", "commas", list), explode: false },
        { ...parameter("query", "deep", map), style: "deepObject" },
        { name: "json", in: "query", content: { "application/json": { schema: map } } },
      ],
      responses: { 200: { description: "All.", content: { "application/json": { schema } } } },
    },
  };
});

// biome-ignore lint/suspicious/noExplicitAny: the SDK of another document has other types
let built: { [name: string]: any };

beforeAll(async () => {
  built = await sdkOf(await load(later));
}, 120_000);

const listing = { iosUrl: "https://apps.apple.com/app/id1" };
const set = { device: "iphone-69", captionLength: "short" };

/** A client of the built package on its mock. */
function onLaterService() {
  const mock = built.createMock();
  return { mock, client: new built.ScreenshotSets(mock.clientOptions) };
}

test("the built client has the document's limits, values and required fields", async () => {
  const { mock, client } = onLaterService();
  const { appId } = await client.apps.create({ ...listing, extraContext: "abc" });
  await client.screenshots.create({ ...set, appId, device: "vision-pro", count: 12 });
  await client.screenshots.create({ ...set, appId });
  const sent = mock.requests({ operation: "createScreenshots" });
  expect(sent.map(({ body }: { body: { count: number } }) => body.count)).toEqual([12, 7]);
  expect(built.devices).toEqual(["iphone-69", "vision-pro"]);

  const refused = [
    client.apps.create({ ...listing, extraContext: "abcd" }),
    client.screenshots.create({ ...set, appId, device: "iphone-67" }),
    client.screenshots.create({ ...set, appId, count: 22 }),
    client.screenshots.create({ appId, device: "iphone-69" }),
  ];
  const errors = await Promise.all(refused.map(rejection));
  expect(errors.map(({ name, issues }) => [name, issues[0].path])).toEqual([
    ["InvalidRequestError", "extraContext"],
    ["InvalidRequestError", "device"],
    ["InvalidRequestError", "count"],
    ["InvalidRequestError", "captionLength"],
  ]);
  expect(errors[0]).toBeInstanceOf(InvalidRequestError);
});

test("the built mock makes slides as the document describes them", async () => {
  const { mock, client } = onLaterService();
  const { appId } = await client.apps.create(listing);
  const job = await client.screenshots.createAndWait({ ...set, appId, count: 2 });
  const listed = { layout: "split", device: "iphone-69" };
  const slides = [
    { headline: "headline 1", ...listed },
    { headline: "headline 2", ...listed },
  ];
  expect(job.result.slides).toEqual(slides);

  mock.jobs.get(job.id).result.slides[0].headline = "changed";
  const { result } = await client.screenshots.createAndWait({ ...set, appId, count: 21 });
  expect(result.slides.slice(0, 2)).toEqual(slides);
  expect(result.slides.at(20)).toEqual(slides[0]);
});

test("the built mock gives what the document has come to require, beside what was asked of it", async () => {
  const { mock, client } = onLaterService();
  const app = await client.apps.create(listing);
  expect(app).toMatchObject({ appId: app.appId, rating: expect.any(Number) });
  const accepted = await client.screenshots.create({ ...set, appId: app.appId });
  expect(accepted.credits).toEqual({ cost: 10, remaining: 90, period: { ends: expect.any(String) } });
  const job = await client.waitForJob(accepted.jobId);
  expect(job).toEqual(mock.jobs.get(accepted.jobId));
  expect(job).toMatchObject({ status: "succeeded", createdAt: expect.any(String), error: null });

  for (const error of [undefined, { code: "unknown", at: 7 }]) {
    mock.nextJob({ outcome: "failed", error });
    const failure = await rejection(client.screenshots.createAndWait({ ...set, appId: app.appId }));
    expect(failure).toMatchObject({
      name: "JobFailedError",
      job: { result: null, error: { code: "unreadable", message: expect.any(String), ...error } },
    });
  }
});

test("the client reaches an operation that the document gained, with numbers where its path has numbers", async () => {
  const urls: string[] = [];
  const fetch = async (url: unknown) => Response.json(urls.push(String(url)));
  const client = new built.ScreenshotSets({ apiKey: "key", baseUrl: "https://example.com/api/v1", fetch });
  const remove = (appId: unknown, number: unknown) =>
    client.request("DELETE", "/public/v1/apps/{appId}/slides/{number}", {
      params: { path: { appId, number } },
    });

  await remove("app_1", 0);
  await remove("app_1", "12");
  const query = {
    locale: "de",
    piped: ["a", "b"],
    commas: ["a", "b"],
    deep: { one: "a" },
    json: { one: "a" },
  };
  const params = { path: { kind: "a/b" }, query };
  expect(await client.request("GET", "/public/v1/gained/{kind}", { params })).toBe(3);

  const base = "https://example.com/api/v1/public/v1";
  const slides = `${base}/apps/app_1/slides`;
  const written = `locale=de&piped=a|b&commas=a,b&deep[one]=a&json=${encodeURIComponent('{"one":"a"}')}`;
  expect(urls).toEqual([`${slides}/0`, `${slides}/12`, `${base}/gained/a%2Fb?${written}`]);
  const refused = [remove("app_1", Number.NaN), remove("app_1", ".."), remove(7, 0)];
  const errors = await Promise.all(refused.map(rejection));
  expect(errors.map(({ issues }) => issues[0].path)).toEqual(["number", "number", "appId"]);
  expect(urls).toHaveLength(3);
});

test("an operation that the document gained is typed", async () => {
  const use = `
    import { ScreenshotSets, type JobStatus, type Slide } from "screenshot-sets";
    const client = new ScreenshotSets();
    const kind = { path: { kind: "a" } };
    const found: { slug: string }[] = await client.request("GET", "/public/v1/gained/{kind}", { params: kind });
    await client.request("GET", "/public/v1/gained/{kind}", { params: { ...kind, query: { locale: "de" } } });
    const slideOf = { path: { appId: "app", number: 7 } };
    await client.request("DELETE", "/public/v1/apps/{appId}/slides/{number}", { params: slideOf });
    const status: JobStatus = "paused";
    const slide: Slide = { headline: String(found.length) };
    // @ts-expect-error the kind is missing
    await client.request("GET", "/public/v1/gained/{kind}");
    // @ts-expect-error the locale is a string
    await client.request("GET", "/public/v1/gained/{kind}", { params: { ...kind, query: { locale: 1 } } });
    // @ts-expect-error captions have a length now
    await client.screenshots.create({ appId: "app", device: "iphone-69" });
    await client.screenshots.create({ appId: slide.headline, device: "vision-pro", captionLength: "long" });
    export { status };
  `;
  expect(problemsIn(repository, await generate(later), use)).toEqual([]);
});

test("the linter takes whatever can be generated from, but none that is no OpenAPI", async () => {
  const folder = temporaryFolder();
  const lint = (...documents: Document[]) => {
    const files = documents.map((_, index) => path.join(folder, `${index}.json`));
    documents.forEach((document, index) => {
      writeFileSync(String(files[index]), JSON.stringify(document));
    });
    const redocly = path.join(repository, "node_modules/@redocly/cli/bin/cli.js");
    const command = [redocly, "lint", ...files, "--config", path.join(repository, "redocly.yaml")];
    const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    return promisify(execFile)(process.execPath, command, { env });
  };
  const older = changed(({ components }) => (components.schemas.App.properties.name.nullable = true));
  const servers = [{ url: "https://api.example.com/api/v1/" }];
  const further = changed(({ paths }) => {
    const parameters = [{ name: "all", in: "querystring", content: { "application/json": {} } }];
    const responses = { 200: { $ref: "#/components/responses/Nobody" } };
    paths["/files/{proxy+}"] = { get: { parameters, responses }, query: { responses } };
  });
  await lint(later, { ...older, servers, openapi: "3.0.2" }, { ...later, openapi: "3.2.0" }, further);
  await expect(lint(changed(({ info }) => delete info.title))).rejects.toMatchObject({ code: 1 });
}, 60_000);

test.each(["types", "mock/mock"])(
  "the type tests in %s hold for a document that has more to give and to take",
  async (name) => {
    const document = changed((document) => {
      releaseAll(document);
      const { schemas } = document.components;
      schemas.App.properties.store = { type: "object", properties: { name: { type: "string" } } };
      schemas.AcceptedJob.properties.seconds = { type: ["integer", "null"] };
      schemas.Credits.properties.ends = { type: "string" };
      schemas.Job.properties.result.properties.slides.items = {
        type: "object",
        properties: { headline: { type: "string" } },
      };
    });
    const typeTests = readFileSync(path.join(repository, `test/${name}.test-d.ts`), "utf8");
    expect(problemsIn(repository, await generate(document), typeTests)).toEqual([]);
  },
  120_000,
);
