import fc from "fast-check";
import { expect, test } from "vitest";
import { generateFiles } from "../../scripts/emit/generate-files.js";
import { normalise } from "../../scripts/normalise/normalise.js";
import { Refusal } from "../../scripts/refusal.js";
import { parseDocument } from "../../scripts/vet/parse-document.js";
import { vetAnswers } from "../../scripts/vet/vet-operations.js";
import { draws } from "../helpers/draws.js";
import { type GeneratedModule, issuesOf, loadFiles } from "../helpers/generated-module.js";
import { rejection } from "../helpers/rejection.js";
import { compile } from "./compile.js";
import { anyForm, documentIn, everyValue, type Form, leavesOut, tagOf } from "./draw-document.js";
import { sdkOf } from "./sdk-of.js";

/** How many forms are drawn besides a few that have every value. The command with the variable is in scripts/README.md. */
const further = Number(process.env.DRAWN_DOCUMENTS ?? draws(30));

/** The modules made of a document, or the words in which it is refused. */
async function made(form: Form): Promise<GeneratedModule | string> {
  try {
    const document = parseDocument(JSON.stringify(documentIn(form)));
    vetAnswers(normalise(document));
    const files = await generateFiles(document);
    expect(typeProblems(String(files.get("openapi.ts")), form)).toEqual([]);
    return loadFiles(files);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.message;
  }
}

/** What the compiler says of code that users write for any document. */
function typeProblems(types: string, form: Form): string[] {
  const kind =
    form.kinds === "by field" ? '"caption" in slide' : `slide.kind === ${JSON.stringify(tagOf(form))}`;
  const isText = form.numbers === "text" || form.numbers === "either";
  const code = `
    import type { paths } from "./openapi.js";
    type Json<Message> = Message extends { content: { "application/json": infer Body } } ? Body : never;
    type App = Json<NonNullable<paths["/public/v1/apps"]["post"]["requestBody"]>>;
    type Set = Json<NonNullable<paths["/public/v1/screenshots"]["post"]["requestBody"]>>;
    type Answer = Json<paths["/public/v1/apps"]["post"]["responses"][200]>;
    type Accepted = Json<paths["/public/v1/screenshots"]["post"]["responses"][201]>;
    type Job = Json<paths["/public/v1/jobs/{id}"]["get"]["responses"][200]>;
    export const apps: App[] = [{ iosUrl: "a" }, { androidUrl: "b", extraContext: "c" }];
    // @ts-expect-error neither store URL is given
    export const none: App = {};
    export const textsOf = ({ appId, name, category, artworkUrl }: Answer): string[] => [appId, name, category, artworkUrl];
    export const costOf = ({ credits }: Accepted): ${isText ? "unknown" : "number"} => credits.cost;
    export const set: Set = { appId: "a", device: "iphone-69", count: 5, captionStyle: "any", narrativeId: "any" };
    export const statusOf = ({ id, status }: Job): "queued" | "running" | "succeeded" | "failed" => id ? status : "failed";
    export const slidesOf = ({ result }: Job) => result?.slides.map((slide) => ${form.kinds === "none" ? "slide" : `(${kind} ? slide.caption : slide.url)`});
  `;
  const modules = new Map([
    ["/types/openapi.ts", types],
    ["/types/code.ts", code],
  ]);
  return compile("/types/code.ts", modules);
}

/** Captions may have any style, though a document lists some. */
const set = { appId: "app_1", device: "iphone-69", captionStyle: "any" } as const;
const listing = { iosUrl: "https://apps.apple.com/app/id1" };

/** The service, which answers as a document of this form says: the looks find each of these states in turn. */
function serviceOf(form: Form, states: string[]): typeof fetch {
  const amount = (value: number) => (form.numbers === "text" ? String(value) : value);
  const slide = {
    ...(form.kinds !== "none" && form.kinds !== "by field" && { kind: tagOf(form) }),
    caption: "One",
  };
  const slash = form.paths === "ended by a slash" ? "/" : "";
  const isOwn = form.media.includes("vnd") || form.media === "text/json";
  const mediaType = isOwn ? form.media : "application/json";
  const ended = (status: string) => ({
    ...(status === "succeeded" && { result: { device: "iphone-69", slides: [slide] } }),
    ...(status === "failed" && { error: { code: "unreadable" } }),
  });
  return async (url, init) => {
    const headers = new Headers(init?.headers);
    if (init?.method === "POST") expect(headers.get("content-type")).toBe(mediaType);
    expect(String(url).endsWith("/")).toBe(slash === "/");
    if (String(url).endsWith(`/apps${slash}`)) {
      expect(JSON.parse(String(init?.body))).toEqual(listing);
      return Response.json({
        appId: "app_1",
        name: "Calm",
        category: "Health",
        artworkUrl: "https://example.com/1",
      });
    }
    if (String(url).endsWith(`/screenshots${slash}`)) {
      expect(JSON.parse(String(init?.body))).toEqual({ ...set, count: 5 });
      expect(headers.has("idempotency-key")).toBe(form.header.includes("idempotency"));
      return Response.json(
        { jobId: "job_1", credits: { cost: amount(10), remaining: amount(90) } },
        { status: 201 },
      );
    }
    const status = String(states.length > 1 ? states.shift() : states[0]);
    return Response.json({
      id: "job_1",
      status,
      ...(!leavesOut(form) && { result: null, error: null }),
      ...ended(status),
    });
  };
}

async function vet(form: Form): Promise<void> {
  const generated = await made(form);
  if (form.fault !== "") {
    expect(generated).toMatch(/^[^\n]{10,300}$/);
    return;
  }
  if (typeof generated === "string") throw new Error(`Refused: ${generated}`);
  for (const name of ["createApp", "createScreenshots", "getJob"] as const) {
    expect([name, issuesOf(generated[name].answer, generated.answers[name])]).toEqual([name, []]);
  }
  const { ScreenshotSets, createMock } = await sdkOf(generated);
  const mock = createMock();
  const { pathname } = new URL(mock.clientOptions.baseUrl);
  expect(pathname).toBe(form.paths === "in a server too" ? "/gate" : "/api/v1");
  const onService = (...states: string[]) =>
    new ScreenshotSets({ ...mock.clientOptions, fetch: serviceOf(form, states) });

  const planned = onService("queued", "running", "succeeded");
  expect(await rejection(planned.apps.create({} as never))).toMatchObject({
    name: "InvalidRequestError",
    issues: [{ path: "", message: "Expected iosUrl, androidUrl or both" }],
  });
  expect(await planned.apps.create(listing)).toMatchObject({ name: "Calm" });
  const job = await planned.screenshots.createAndWait(set);
  expect(job).toMatchObject({ status: "succeeded", result: { slides: [{ caption: "One" }] }, error: null });
  const failed = await rejection(onService("queued", "failed").screenshots.createAndWait(set));
  expect(failed).toMatchObject({
    name: "JobFailedError",
    job: { result: null, error: { code: "unreadable" } },
  });
  expect(await onService("queued").jobs.get("job_1")).toMatchObject({ result: null, error: null });

  const client = new ScreenshotSets(mock.clientOptions);
  const { appId } = await client.apps.create(listing);
  expect((await client.screenshots.createAndWait({ ...set, appId })).result.slides).toHaveLength(5);
  mock.nextJob({ outcome: "failed", error: { code: "unreadable" } });
  const unplanned = await rejection(client.screenshots.createAndWait({ ...set, appId }));
  const refused = await rejection(client.screenshots.create({ ...set, appId: "app_9" }));
  const [described, guess] = [{ code: "not_found" }, { error: { code: "not_found" } }];
  expect(refused.body).toMatchObject(form.errors === "described" ? described : guess);
  expect(unplanned).toMatchObject({ name: "JobFailedError", job: { error: { code: "unreadable" } } });
}

test(
  "whatever form its document has, the service is planned with, waited for and failed on, or refused in one line",
  async () => {
    const examples = everyValue().map((form): [Form] => [form]);
    const numRuns = examples.length + further;
    await fc.assert(fc.asyncProperty(anyForm, vet), { examples, numRuns, endOnFailure: true });
  },
  120_000 + further * 2_000,
);
