import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { InvalidRequestError, ScreenshotSets } from "screenshot-sets";
import ts from "typescript";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { diagnose } from "../../scripts/compile/type-check.js";
import { changed, type Document, generate, load } from "../helpers/generated-module.js";
import { rejection } from "../helpers/rejection.js";
import { buildSdk } from "../helpers/sdk-of.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** The service's document some day: other limits, other values, more that is required, and more to call. */
const later = changed(({ paths, components: { schemas } }) => {
  schemas.CreateAppRequest.properties.extraContext.maxLength = 3;
  schemas.Device.enum = ["iphone-69", "vision-pro"];
  schemas.CreateScreenshotsRequest.properties.count.maximum = 21;
  schemas.CreateScreenshotsRequest.properties.count.default = 7;
  schemas.CreateScreenshotsRequest.required.push("captionLength");
  delete schemas.CreateScreenshotsRequest.properties.captionLength.default;
  paths["/public/v1/screenshots"].post.parameters = [
    { name: "Idempotency-Key", in: "header", required: true, schema: { type: "string", format: "uuid" } },
  ];
  schemas.Job.properties.status.enum.push("paused");
  schemas.Job.properties.result.properties.slides.items = {
    type: "object",
    required: ["headline"],
    properties: {
      headline: { type: "string" },
      layout: { type: ["string", "null"], enum: [null, "split", "full"] },
      device: { $ref: "#/components/schemas/Device" },
    },
  };
  schemas.App.properties.rating = { type: "number" };
  schemas.App.required.push("rating");
  schemas.Credits.properties.period = { type: "object", required: ["ends"] };
  schemas.Credits.properties.period.properties = { ends: { type: "string", format: "date-time" } };
  schemas.Credits.required.push("period");
  schemas.Job.properties.createdAt = { type: "string", format: "date-time" };
  schemas.Job.required.push("createdAt");
  schemas.Job.properties.error.required = ["code", "message"];
  schemas.Job.properties.error.properties = {
    code: { type: "string", enum: ["unreadable", "unknown"] },
    message: { type: "string" },
  };
  schemas.Narrative = { type: "object", required: ["slug"], properties: { slug: { type: "string" } } };
  const list = { type: "array", items: { $ref: "#/components/schemas/Narrative" } };
  paths["/public/v1/apps/{appId}/slides/{number}"] = {
    delete: {
      operationId: "deleteSlide",
      parameters: [
        { name: "appId", in: "path", required: true, schema: { type: "string" } },
        { name: "number", in: "path", required: true, schema: { $ref: "#/components/schemas/Place" } },
      ],
      responses: { 204: { description: "Done." } },
    },
  };
  schemas.Place = { type: "integer", minimum: 0 };
  paths["/public/v1/gained/{kind}"] = {
    get: {
      operationId: "listGained",
      parameters: [
        { name: "kind", in: "path", required: true, schema: { type: "string" } },
        { name: "locale", in: "query", schema: { type: "string" } },
      ],
      responses: { 200: { description: "All.", content: { "application/json": { schema: list } } } },
    },
  };
});

// biome-ignore lint/suspicious/noExplicitAny: the SDK of another document has other types
let built: { [name: string]: any };

beforeAll(async () => {
  const sdkOf = await buildSdk();
  built = sdkOf(await load(later));
}, 120_000);

const listing = { iosUrl: "https://apps.apple.com/app/id1" };
const set = { device: "iphone-69", captionLength: "short" };

/** A client of the built package, or of the one in the repository, on a built mock. */
function onLaterService() {
  const mock = built.createMock();
  return {
    mock,
    newer: new built.ScreenshotSets(mock.clientOptions),
    older: new ScreenshotSets(mock.clientOptions),
  };
}

test("the built client has the document's limits, values and required fields", async () => {
  const { mock, newer } = onLaterService();
  const { appId } = await newer.apps.create({ ...listing, extraContext: "abc" });
  await newer.screenshots.create({ ...set, appId, device: "vision-pro", count: 12 });
  await newer.screenshots.create({ ...set, appId });
  const sent = mock.requests({ operation: "createScreenshots" });
  expect(sent.map(({ body }: { body: { count: number } }) => body.count)).toEqual([12, 7]);
  expect(built.devices).toEqual(["iphone-69", "vision-pro"]);

  const refused = [
    newer.apps.create({ ...listing, extraContext: "abcd" }),
    newer.screenshots.create({ ...set, appId, device: "iphone-67" }),
    newer.screenshots.create({ ...set, appId, count: 22 }),
    newer.screenshots.create({ appId, device: "iphone-69" }),
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
  const { mock, newer } = onLaterService();
  const { appId } = await newer.apps.create(listing);
  const job = await newer.screenshots.createAndWait({ ...set, appId, count: 2 });
  const listed = { layout: "split", device: "iphone-69" };
  const slides = [
    { headline: "headline 1", ...listed },
    { headline: "headline 2", ...listed },
  ];
  expect(job.result.slides).toEqual(slides);

  mock.jobs.get(job.id).result.slides[0].headline = "changed";
  const { result } = await newer.screenshots.createAndWait({ ...set, appId, count: 21 });
  expect(result.slides.slice(0, 2)).toEqual(slides);
  expect(result.slides.at(20)).toEqual(slides[0]);
});

test("the built mock gives what the document has come to require, beside what was asked of it", async () => {
  const { mock, newer } = onLaterService();
  const app = await newer.apps.create(listing);
  expect(app).toMatchObject({ appId: app.appId, rating: expect.any(Number) });
  const accepted = await newer.screenshots.create({ ...set, appId: app.appId });
  expect(accepted.credits).toEqual({ cost: 10, remaining: 90, period: { ends: expect.any(String) } });
  const job = await newer.waitForJob(accepted.jobId);
  expect(job).toEqual(mock.jobs.get(accepted.jobId));
  expect(job).toMatchObject({ status: "succeeded", createdAt: expect.any(String), error: null });

  for (const error of [undefined, { code: "unknown", at: 7 }]) {
    mock.nextJob({ outcome: "failed", error });
    const failure = await rejection(newer.screenshots.createAndWait({ ...set, appId: app.appId }));
    expect(failure).toMatchObject({
      name: "JobFailedError",
      job: { result: null, error: { code: "unreadable", message: expect.any(String), ...error } },
    });
  }
});

test("where the document requires an idempotency key, a set is sent again with it and charged once", async () => {
  const { mock, newer } = onLaterService();
  const { appId } = await newer.apps.create(listing);
  const keys: unknown[] = [];
  const fetch: typeof globalThis.fetch = (url, init) => {
    if (init?.method === "POST") keys.push(new Headers(init.headers).get("idempotency-key"));
    return mock.fetch(url, init);
  };
  const client = newer.withOptions({ fetch });
  for (const fault of [{ status: 503 }, "reset", "truncated"]) {
    mock.fault(fault, { operation: "createScreenshots", when: "after" });
    await client.screenshots.create({ ...set, appId });
  }

  expect(mock.credits.used).toBe(30);
  expect(keys).toHaveLength(6);
  expect(keys.map((key) => keys.indexOf(key))).toEqual([0, 0, 2, 2, 4, 4]);
  expect(keys[0]).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
});

test("an app, for which the document requires no key, is not sent again", async () => {
  const { mock, newer } = onLaterService();
  mock.fault({ status: 503 }, { operation: "createApp" });
  const error = await rejection(newer.apps.create(listing));
  expect(error).toMatchObject({ attempts: 1, charged: "maybe" });
  expect("idempotencyKey" in error).toBe(false);
});

/** The built client where every request gets this answer, with the URLs that it asks for. */
function answered(answer: () => Response) {
  const urls: string[] = [];
  const fetch = async (url: unknown) => {
    urls.push(String(url));
    return answer();
  };
  return {
    client: new built.ScreenshotSets({ apiKey: "key", baseUrl: "https://example.com/api/v1", fetch }),
    urls,
  };
}

test("the client takes numbers for parameters of a path that are numbers", async () => {
  const { client, urls } = answered(() => new Response(null, { status: 204 }));
  const remove = (appId: unknown, number: unknown) =>
    client.request("DELETE", "/public/v1/apps/{appId}/slides/{number}", {
      params: { path: { appId, number } },
    });

  await remove("app_1", 0);
  await remove("app_1", "12");

  expect(urls.map((url) => url.slice(url.indexOf("app_1")))).toEqual(["app_1/slides/0", "app_1/slides/12"]);
  const refused = [remove("app_1", Number.NaN), remove("app_1", ".."), remove(7, 0)];
  const errors = await Promise.all(refused.map(rejection));
  expect(errors.map(({ issues }) => issues[0].path)).toEqual(["number", "number", "appId"]);
  expect(urls).toHaveLength(2);
});

test("the client reaches an operation that the document gained", async () => {
  const { client, urls } = answered(() => Response.json([{ slug: "journey", later: true }]));
  const params = { path: { kind: "a/b" }, query: { locale: "de" } };
  const found = await client.request("GET", "/public/v1/gained/{kind}", { params });
  expect(found).toEqual([{ slug: "journey", later: true }]);
  expect(urls).toEqual(["https://example.com/api/v1/public/v1/gained/a%2Fb?locale=de"]);
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
  const file = path.join(repository, "use.ts");
  expect(await problemsIn(file, later, new Map([[file, use]]))).toEqual([]);
}, 120_000);

/** What the compiler says of a file that uses the SDK of another document. */
async function problemsIn(file: string, document: Document, texts = new Map<string, string>()) {
  for (const [name, text] of await generate(document)) {
    texts.set(path.join(repository, "src/generated", name), text);
  }
  const { config } = ts.readConfigFile(path.join(repository, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, repository);
  const problems = diagnose([file], options, texts);
  return problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
}

test("an SDK that was shipped before takes the answers of a service that went on", async () => {
  const { mock, newer, older } = onLaterService();
  mock.nextJob({ outcome: "succeeded", slides: [{ headline: "One", layers: [{ kind: "later" }] }] });
  const { appId } = await older.apps.create(listing);
  const { jobId } = await newer.screenshots.create({ ...set, appId, device: "vision-pro" });

  const job = await older.waitForJob(jobId);

  expect(job.result).toEqual({
    device: "vision-pro",
    slides: [{ headline: "One", layers: [{ kind: "later" }] }],
  });
});

test("an SDK that was shipped before keeps fields that came later, and waits through a status that came later", async () => {
  const { mock } = onLaterService();
  const statuses = ["queued", "paused", "paused", "succeeded"];
  const answerWith = (status: string | undefined) => ({
    id: "job_1",
    status,
    result: status !== "succeeded" ? null : { device: "watch-ultra", slides: [], theme: { dark: true } },
    error: null,
    progress: 0.5,
  });
  const answer = () => answerWith(statuses.length > 1 ? statuses.shift() : statuses[0]);
  const older = new ScreenshotSets({ ...mock.clientOptions, fetch: async () => Response.json(answer()) });
  const seen: string[] = [];

  const job = await older.waitForJob("job_1", { onUpdate: ({ status }) => seen.push(status) });

  expect(seen).toEqual(["queued", "paused", "succeeded"]);
  expect(job).toEqual({
    id: "job_1",
    status: "succeeded",
    result: { device: "watch-ultra", slides: [], theme: { dark: true } },
    error: null,
    progress: 0.5,
  });
});

test("the linter takes whatever can be generated from, but none that is no OpenAPI", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "screenshot-sets-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const redocly = path.join(repository, "node_modules/@redocly/cli/bin/cli.js");
  const lint = (...documents: Document[]) => {
    const files = documents.map((document, index) => {
      const file = path.join(folder, `${index}.json`);
      writeFileSync(file, JSON.stringify(document));
      return file;
    });
    const command = [redocly, "lint", ...files, "--config", path.join(repository, "redocly.yaml")];
    const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    return promisify(execFile)(process.execPath, command, { env });
  };

  const otherVersion = changed((document) => {
    document.openapi = "3.0.2";
    document.servers = [{ url: "https://api.example.com/api/v1/" }];
    document.components.schemas.App.properties.name.nullable = true;
  });
  await lint(later, otherVersion, { ...otherVersion, openapi: "3.2.0" });
  await expect(lint(changed(({ info }) => delete info.title))).rejects.toMatchObject({ code: 1 });
}, 60_000);

test("the type tests hold for a document that has more to give and to take", async () => {
  const document = changed(({ components: { schemas } }) => {
    schemas.App.properties.store = { type: "object", properties: { name: { type: "string" } } };
    schemas.AcceptedJob.properties.seconds = { type: ["integer", "null"] };
    schemas.Credits.properties.ends = { type: "string" };
    schemas.CreateScreenshotsRequest.properties.locale = { type: "string" };
    schemas.Job.properties.result.properties.slides.items = {
      type: "object",
      properties: { headline: { type: "string" } },
    };
  });
  expect(await problemsIn(path.join(repository, "test/types.test-d.ts"), document)).toEqual([]);
}, 120_000);
