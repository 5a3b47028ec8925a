import fc from "fast-check";
import { JobFailedError, PaymentRequiredError, ScreenshotSets, ScreenshotSetsError } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { draws } from "../helpers/draws.js";

/** Today's answers, without the fields that the service needs to be the same service. */
const answers = {
  app: { name: "some name", category: "some category", artworkUrl: "https://example.com/artwork.png" },
  acceptance: { credits: { cost: 10, remaining: 10 } },
  job: { error: null, result: { device: "some device", slides: [{ caption: "one" }] } },
};

const anything = fc.oneof(
  fc.constantFrom<unknown>(null, "", "later", 8.5, -1, true, [], {}, [1], { deep: { er: [null] } }),
  // As it arrives: JSON has no -0.
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value))),
);

/** The paths of all fields of a value. */
function pathsOf(value: unknown, parent: string[] = []): string[][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const path = [...parent, name];
    return [path, ...pathsOf(field, path)];
  });
}

/** A change that a service makes to a field of an answer without asking. */
const change = fc.record({
  path: fc.constantFrom(...pathsOf(answers).filter((path) => path.length > 1)),
  kind: fc.constantFrom("add beside", "leave out", "replace"),
  value: anything,
});

const messages = ["no", { detail: "no" }, { errors: [{ code: 7 }] }, ["no"], { message: { en: "no" } }];

const tomorrow = fc.record({
  changes: fc.array(change, { maxLength: 6 }),
  /** What the service means to do with a set, whatever its answers look like. */
  fate: fc.constantFrom(
    ...["succeeds", "fails", "succeeds as a new status", "fails as a new status", "is refused"],
  ),
  /** The statuses of the job before it ends. */
  unfinished: fc.array(fc.constantFrom("queued", "running", "paused", "waiting-for-review", ""), {
    maxLength: 3,
  }),
  status: fc.constantFrom(200, 201, 202, 203, 299),
  headers: fc.constantFrom<Record<string, string>>({}, { deprecation: "true" }, { etag: '"1"' }),
  /** The body of a refusal, and the `error` of a job that failed. */
  error: fc.oneof(
    fc.constantFrom<unknown>(...messages),
    anything.filter((value) => value !== null),
  ),
  /** A device that yesterday's document does not list. */
  device: fc.option(fc.constantFrom("vision-pro", "watch-ultra"), { nil: undefined }),
});
type Tomorrow = typeof tomorrow extends fc.Arbitrary<infer Plan> ? Plan : never;

/** Today's answers after these changes. */
function changed(changes: Tomorrow["changes"]): Record<keyof typeof answers, Record<string, unknown>> {
  const all = structuredClone(answers);
  for (const [index, { path, kind, value }] of changes.entries()) {
    // An earlier change may have replaced what the field was in.
    const fields = path.slice(0, -1).reduce<unknown>((at, name) => Object(at)[name], all);
    if (typeof fields !== "object" || fields === null) continue;
    const name = path.at(-1) as string;
    if (kind === "leave out") Reflect.deleteProperty(fields, name);
    else Object.assign(fields, { [kind === "replace" ? name : `new${index}`]: structuredClone(value) });
  }
  return all;
}

/** The service of tomorrow, and how often it charged. */
function tomorrowsService(plan: Tomorrow) {
  const { app, acceptance, job: ended } = changed(plan.changes);
  const counted = { charges: 0 };
  let polls = 0;
  const json = (body: unknown, status: number = plan.status) =>
    new Response(JSON.stringify(body), { status, headers: plan.headers });
  const job = () => {
    const body: Record<string, unknown> = { ...ended, id: "job-1" };
    const status = plan.unfinished[polls++];
    if (status !== undefined) return { ...body, status, result: null, error: null };
    const isNew = plan.fate.endsWith("new status");
    if (plan.fate.startsWith("fails")) {
      return { ...body, status: isNew ? "cancelled" : "failed", result: null, error: plan.error };
    }
    // A result is an object; whatever else the document says of it may change.
    const { result } = body;
    const isObject = typeof result === "object" && result !== null && !Array.isArray(result);
    return { ...body, status: isNew ? "partly" : "succeeded", result: isObject ? result : {}, error: null };
  };
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname } = new URL(String(input));
    if (pathname.endsWith("/apps")) return json({ ...app, appId: "app-1" });
    if (init?.method !== "POST") return json(job());
    if (plan.fate === "is refused") return json(plan.error, 402);
    counted.charges++;
    return json({ ...acceptance, jobId: "job-1" });
  };
  return { fetch, counted };
}

function clientOf(fetch: typeof globalThis.fetch, warnings: string[] = []) {
  const { apiKey, baseUrl, clock } = createMock().clientOptions;
  const logger = { debug() {}, info() {}, warn: (message: string) => warnings.push(message), error() {} };
  return new ScreenshotSets({ apiKey, baseUrl, clock, fetch, logger });
}

/** Plans a set; where it is for a new device, as an app does that cannot wait for a new version. */
async function planSet(client: ScreenshotSets, { device }: Tomorrow) {
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/x/id1" });
  if (device === undefined) return client.screenshots.createAndWait({ appId, device: "iphone-69" });
  const body = { appId, device, count: 12 };
  const accepted = await client.request("POST", "/public/v1/screenshots", { body: body as never });
  return client.waitForJob(accepted.jobId);
}

test("yesterday's client plans a set with tomorrow's service, and it ends as the service meant", async () => {
  await fc.assert(
    fc.asyncProperty(tomorrow, async (plan) => {
      const warnings: string[] = [];
      const { fetch, counted } = tomorrowsService(plan);
      const ended = await planSet(clientOf(fetch, warnings), plan).catch((error: unknown) => error);
      const isRefused = plan.fate === "is refused";
      expect(counted.charges).toBe(isRefused ? 0 : 1);
      if (isRefused) {
        expect(ended).toBeInstanceOf(PaymentRequiredError);
        expect(ended).toMatchObject({ charged: "no" });
      } else if (plan.fate.startsWith("fails")) {
        expect(ended).toBeInstanceOf(JobFailedError);
        expect(ended).toMatchObject({ jobId: "job-1", job: { error: plan.error } });
      } else {
        expect(ended).not.toBeInstanceOf(ScreenshotSetsError);
        expect(ended).toMatchObject({ id: "job-1", result: {} });
      }
      expect(
        warnings.filter((message) => message.startsWith("An answer differs")).length,
      ).toBeLessThanOrEqual(3);
    }),
    { numRuns: draws(1_000) },
  );
});

test("what differs is logged once for each operation of a client, and passed on as it came", async () => {
  const warnings: string[] = [];
  const body = { appId: "app-1", artworkUrl: null, rating: 4.5 };
  const client = clientOf(async () => Response.json(body), warnings);
  for (const _ of [1, 2]) {
    expect(await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/x/id1" })).toEqual(body);
  }
  expect(warnings).toEqual(["An answer differs from the document, and was passed on as it came"]);
});
