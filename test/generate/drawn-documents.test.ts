import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { faultOf } from "../../scripts/compile/find-fault.js";
import { generateFiles } from "../../scripts/emit/generate-files.js";
import { normalise } from "../../scripts/normalise/normalise.js";
import { Refusal } from "../../scripts/refusal.js";
import { parseDocument } from "../../scripts/vet/parse-document.js";
import { type GeneratedModule, loadFiles } from "../helpers/generated-module.js";
import { rejection } from "../helpers/rejection.js";
import { buildSdk } from "../helpers/sdk-of.js";
import { anyForm, documentIn, type Form, leavesOut } from "./draw-document.js";

/** How many forms are drawn. The command with the variable is in CONTRIBUTING. */
const numRuns = Number(process.env.DRAWN_DOCUMENTS ?? 8);

let sdkOf: Awaited<ReturnType<typeof buildSdk>>;

beforeAll(async () => {
  sdkOf = await buildSdk();
}, 120_000);

/** The modules made of a document, or the words in which it is refused. */
async function made(form: Form): Promise<GeneratedModule | string> {
  try {
    const document = parseDocument(JSON.stringify(documentIn(form)));
    const fault = faultOf(normalise(document));
    return fault ?? loadFiles(await generateFiles(document));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.message;
  }
}

const set = { appId: "app_1", device: "iphone-69" } as const;
const listing = { iosUrl: "https://apps.apple.com/app/id1" };

/** The service, which answers as a document of this form says: the looks find each of these states in turn. */
function serviceOf(form: Form, states: string[]): typeof fetch {
  const amount = (value: number) => (form.numbers === "text" ? String(value) : value);
  const slide = { caption: "One" };
  const ended = (status: string) => ({
    ...(status === "succeeded" && { result: { device: "iphone-69", slides: [slide] } }),
    ...(status === "failed" && { error: { code: "unreadable" } }),
  });
  return async (url, init) => {
    if (String(url).endsWith("/apps")) {
      expect(JSON.parse(String(init?.body))).toEqual(listing);
      return Response.json({
        appId: "app_1",
        name: "Calm",
        category: "Health",
        artworkUrl: "https://example.com/1",
      });
    }
    if (String(url).endsWith("/screenshots")) {
      expect(JSON.parse(String(init?.body))).toEqual({ ...set, count: 5 });
      expect(new Headers(init?.headers).has("idempotency-key")).toBe(form.header === "idempotency");
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
  const { ScreenshotSets, createMock } = sdkOf(generated);
  const mock = createMock();
  const onService = (...states: string[]) =>
    new ScreenshotSets({ ...mock.clientOptions, fetch: serviceOf(form, states) });

  const planned = onService("queued", "running", "succeeded");
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
  expect(unplanned).toMatchObject({ name: "JobFailedError", job: { error: { code: "unreadable" } } });
}

test(
  "whatever form its document has, the service is planned with, waited for and failed on, or refused in one line",
  async () => {
    await fc.assert(fc.asyncProperty(anyForm, vet), { numRuns, endOnFailure: numRuns > 100 });
  },
  Math.max(120_000, numRuns * 2_000),
);
