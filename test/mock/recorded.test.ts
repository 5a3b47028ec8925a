import * as fc from "fast-check";
import { ScreenshotSets } from "screenshot-sets";
import {
  createMock,
  type MockClientOptions,
  type MockOptions,
  type Recorded,
  type RecordedRefusal,
} from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { draws } from "../helpers/draws.js";
import { openMock } from "./ask.js";

const refusal = { status: 418, body: { title: "No", code: [1] } };
const set = {
  cost: 12,
  count: 5,
  states: ["waiting", "running", "succeeded"],
  slides: [{ headline: "one" }, "two", null],
};
const all = { missingKey: refusal, wrongKey: refusal, invalidRequest: refusal, notFound: refusal };
const refusals = {
  createApp: all,
  createScreenshots: { ...all, insufficientCredits: { status: 403, text: "<h1>No</h1>" } },
  getJob: { ...all, wrongKey: { status: 401 } },
};

const recordedMock = (options: MockOptions = {}) =>
  openMock({ recorded: { version: 1, refusals, set }, ...options });

test("refuses as was recorded, by operation and reason, in JSON, in text or with nothing, also when strict", async () => {
  const { mock, send, createApp, listing } = recordedMock({ strict: true, allowance: 11 });
  const wrong = { headers: { "x-api-key": "wrong" } };
  const set = { appId: await createApp(), device: "iphone-69", count: 1 };

  const answers = [
    await send("/public/v1/apps", listing, { headers: {} }),
    await send("/public/v1/screenshots", {}),
    await send("/public/v1/screenshots", { ...set, appId: "app_9" }),
    await send("/public/v1/screenshots", set),
    await send("/public/v1/jobs/job_9"),
    await send("/public/v1/jobs/job_9", undefined, wrong),
  ];

  const json = [418, "application/json", JSON.stringify(refusal.body)];
  const told = answers.map(async (one) => [one.status, one.headers.get("content-type"), await one.text()]);
  expect(await Promise.all(told)).toEqual([
    ...[json, json, json, [403, "text/html", "<h1>No</h1>"], json],
    [401, "text/plain", ""],
  ]);
  expect(mock.requests().map(({ guesses, recorded }) => `${guesses} | ${recorded}`)).toEqual([
    ...[" | ", " | errorBody", " | status.invalidRequest,errorBody", " | status.notFound,errorBody"],
    ...[" | status.insufficientCredits,errorBody", " | status.notFound,errorBody", " | errorBody"],
  ]);
});

test("makes up what was not recorded, and puts `undocumented` before all", async () => {
  const recorded: Recorded = {
    version: 1,
    refusals: { getJob: { notFound: refusal } },
    set: { slides: [1] },
  };
  const undocumented = { status: { notFound: 410 }, slide: () => "own" };
  const own = openMock({ recorded, undocumented, lifecycle: "instant" });
  const bare = openMock({ recorded: { version: 1 } });

  expect(await own.look("job_9")).toEqual({ ...refusal, status: 410 });
  expect((await own.ask("/public/v1/apps", {})).status).toBe(400);
  const jobId = await own.createJob({ count: 2 });
  expect((await own.look(jobId)).body.result.slides).toEqual(["own", "own"]);
  expect(own.mock.requests().map(({ guesses, recorded }) => `${guesses} | ${recorded}`)).toEqual([
    ...["status.notFound | errorBody", "status.invalidRequest,errorBody | ", " | ", " | ", "slide | "],
  ]);
  expect((await bare.createSet(await bare.createApp())).body.credits.cost).toBe(10);
  await expect(openMock({ recorded, strict: true }).ask("/public/v1/apps", {})).rejects.toThrow("errorBody");
});

test("charges and refunds the recorded price, and names it", async () => {
  const undocumented = { refundFailedJobs: true };
  const recorded = { version: 1, set: { cost: 12 } };
  const { mock, createApp, createSet } = openMock({ recorded, allowance: 20, undocumented });
  const appId = await createApp();
  const { body } = await createSet(appId);

  expect(body.credits).toEqual({ cost: 12, remaining: 8 });
  expect((await createSet(appId)).status).toBe(402);
  expect(mock.requests()[1]).toMatchObject({ credits: 12, recorded: ["setCost"] });
  mock.jobs.fail(body.jobId);
  expect(mock.credits.ledger().map(({ amount }) => amount)).toEqual([-12, 12]);
  expect(mock.credits.remaining).toBe(20);
});

test.each<[asked: number, slides: unknown[]]>([
  [1, [{ headline: "one" }]],
  [3, set.slides],
  [4, [...set.slides, { headline: "one" }]],
  // The set that was recorded: the service gave it three.
  [5, set.slides],
  [7, [...set.slides, ...set.slides, { headline: "one" }]],
])("gives a set of %i slides these of the recorded ones: %j", async (count, slides) => {
  const { mock, createJob, look } = recordedMock({ lifecycle: "instant", strict: true });
  const jobId = await createJob({ count });

  expect((await look(jobId)).body.result).toEqual({ device: "iphone-69", slides });
  expect(mock.requests().at(-1)).toMatchObject({ guesses: [], recorded: ["slide"] });
});

test("jobs have the recorded statuses, one at each poll or step, unless a lifecycle says otherwise", async () => {
  const { mock, createJob, look } = recordedMock();
  const polled = await createJob();
  const seen = [];
  for (let poll = 0; poll < 3; poll++) seen.push((await look(polled)).body.status);
  expect(seen).toEqual(set.states);

  const moved = await createJob();
  expect(mock.jobs.get(moved).status).toBe("waiting");
  mock.jobs.advance(moved);
  expect((await look(moved)).body.status).toBe("running");
  mock.jobs.advance(moved);
  expect((await look(moved)).body.status).toBe("succeeded");
  mock.nextJob({ outcome: "failed", lifecycle: "instant" });
  expect((await look(await createJob())).body).toMatchObject({ status: "failed", error: {} });
  const fixed = recordedMock({ lifecycle: { queued: 1, running: 0, unit: "polls" } });
  expect((await fixed.look(await fixed.createJob())).body.status).toBe("queued");
});

test.each<[Recorded["set"], job: object]>([
  [
    { states: ["failed"], error: "no listing" },
    { status: "failed", result: null, error: "no listing" },
  ],
  [
    { states: ["queued", "failed"], error: null },
    { status: "failed", result: null, error: null },
  ],
  [
    { states: ["broken"], error: { code: 7 } },
    { status: "broken", result: null, error: { code: 7 } },
  ],
  [
    { states: ["done"], slides: [1] },
    { status: "done", result: { slides: [1, 1, 1] }, error: null },
  ],
  [{ states: ["done"] }, { status: "done", result: { slides: [{}, {}, {}] }, error: null }],
])("jobs end as the recorded one: %j", async (set, job) => {
  const { mock, createJob, look } = openMock({ recorded: { version: 1, set } });
  const jobId = await createJob();
  for (let poll = 1; poll < (set?.states?.length ?? 0); poll++) await look(jobId);

  expect((await look(jobId)).body).toMatchObject(job);
  expect(mock.requests().at(-1)?.recorded).toEqual(
    "error" in (set ?? {}) ? ["jobError"] : set?.slides ? ["slide"] : [],
  );
  mock.nextJob({ outcome: "failed", error: { own: true } });
  const planned = await createJob();
  for (let poll = 0; poll < 3; poll++) await look(planned);
  expect((await look(planned)).body.error).toEqual({ own: true });
});

test.each<[recorded: unknown, says: string]>([
  ["text", "recorded: Expected an object, got a string"],
  [null, "recorded: Expected an object, got null"],
  [{}, "recorded.version: Expected 1"],
  [{ version: 2 }, "recorded.version: Expected 1"],
  [{ version: 1, slides: [] }, "recorded: Expected no slides"],
  [{ version: 1, refusals: { getJobs: {} } }, "recorded.refusals: Expected no getJobs"],
  [
    { version: 1, refusals: { getJob: { unknownJob: refusal } } },
    "recorded.refusals.getJob: Expected no unknownJob",
  ],
  [
    { version: 1, refusals: { getJob: { notFound: { status: 200 } } } },
    "recorded.refusals.getJob.notFound.status: Expected at least 300",
  ],
  [
    { version: 1, refusals: { getJob: { notFound: { status: 404, body: 1, text: "" } } } },
    "recorded.refusals.getJob.notFound.text: Expected no `body` beside it",
  ],
  [{ version: 1, set: { cost: -1 } }, "recorded.set.cost: Expected at least 0"],
  [{ version: 1, set: { states: [] } }, "recorded.set.states: Expected at least 1"],
  [{ version: 1, set: { slides: {} } }, "recorded.set.slides: Expected an array, got an object"],
])("refuses %j by the field that is wrong: %s", (recorded, says) => {
  const make = () => createMock({ recorded: recorded as Recorded });

  expect(make).toThrow(TypeError);
  expect(make).toThrow(`Expected \`recorded\` to be what \`verify --out\` writes. ${says}`);
});

test("keeps the recording as it was given", async () => {
  const recorded = { version: 1, set: { slides: [{ caption: "given" }] } } satisfies Recorded;
  const { createJob, look } = openMock({ recorded, lifecycle: "instant" });
  const [slide] = recorded.set.slides;
  if (slide) slide.caption = "changed";

  expect((await look(await createJob({ count: 1 }))).body.result.slides).toEqual([{ caption: "given" }]);
});

/** A service as drawn: what it refuses, and how its sets go. */
interface Service {
  refusals: Record<string, RecordedRefusal>;
  set: { cost: number; states: string[]; slides: unknown[]; error: unknown };
}

const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return text === "";
  }
};

const drawnRefusal = fc
  .tuple(
    fc.integer({ min: 300, max: 599 }),
    fc.oneof(
      fc.record({ body: fc.jsonValue() }),
      fc.record({ text: fc.string({ unit: "grapheme" }).filter((text) => !isJson(text)) }),
      fc.constant({}),
    ),
  )
  .map(([status, content]): RecordedRefusal => ({ status, ...content }));

const probes = ["createApp {}", "createScreenshots {}", "createScreenshots app", "getJob job"];
const keyless = ["createApp", "createScreenshots", "getJob"];
const drawnService: fc.Arbitrary<Service> = fc.record({
  refusals: fc.record(
    Object.fromEntries(
      [...probes, ...keyless.flatMap((name) => [`${name} no key`, `${name} wrong key`])].map((name) => [
        name,
        drawnRefusal,
      ]),
    ),
  ),
  set: fc.record({
    cost: fc.oneof(fc.nat(200), fc.constantFrom(8.5, 1e9)),
    states: fc
      .tuple(
        fc.uniqueArray(fc.constantFrom("queued", "running", "planning", "…"), { maxLength: 3 }),
        fc.constantFrom("succeeded", "failed", "done", "broken"),
      )
      .map(([before, end]) => [...before, end]),
    slides: fc.array(fc.jsonValue(), { maxLength: 10 }),
    error: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.constant(null)),
  }),
});

/** The service as a `fetch`. */
function played({ refusals, set }: Service): typeof fetch {
  let polls = 0;
  const refuse = (name: string) => {
    const { status, body, text = "" } = refusals[name] ?? { status: 500 };
    const sent = body === undefined ? text : JSON.stringify(body);
    return new Response(status === 304 ? null : sent, { status });
  };
  const job = () => {
    const status = set.states[Math.min(polls++, set.states.length - 1)] ?? "";
    const [isDone, isFailed] = [
      ["succeeded", "done"],
      ["failed", "broken"],
    ].map((ends) => ends.includes(status));
    const result = isDone ? { device: "iphone-69", slides: set.slides } : null;
    return { id: "job_1", status, result, error: isFailed ? set.error : null };
  };
  const app = { appId: "app_1", name: "", category: "", artworkUrl: "" };
  const acceptance = { jobId: "job_1", credits: { cost: set.cost, remaining: 0 } };
  const answers: Record<string, (asked: { appId?: string }, id: string) => Response> = {
    createApp: () => Response.json(app),
    createScreenshots: ({ appId }) =>
      appId === "app_1" ? Response.json(acceptance, { status: 201 }) : refuse("createScreenshots app"),
    getJob: (_, id) => (id === "job_1" ? Response.json(job()) : refuse("getJob job")),
  };
  return async (input, init) => {
    const request = new Request(input, init);
    const id = new URL(request.url).pathname.split("/").at(-1) ?? "";
    const name = { apps: "createApp", screenshots: "createScreenshots" }[id] ?? "getJob";
    const key = request.headers.get("authorization");
    if (key !== "Bearer right-key") return refuse(`${name} ${key ? "wrong" : "no"} key`);
    const text = await request.text();
    return text === "{}" ? refuse(`${name} {}`) : (answers[name]?.(JSON.parse(text || "{}"), id) as Response);
  };
}

type Platform = Pick<MockClientOptions, "apiKey" | "baseUrl" | "fetch" | "clock">;

/** What a program sees of a service: each refusal that it can provoke, and a set to its end. */
async function program({ apiKey, ...platform }: Platform) {
  const client = new ScreenshotSets({ apiKey, ...platform });
  const stranger = client.withOptions({ apiKey: "wrong-key" });
  const params = { appId: "app_1", device: "iphone-69", count: 5 } as const;
  const seen: unknown[] = [];
  const told = ({ name, status, body, message, charged, isRetryable, job }: Record<string, unknown>) => ({
    ...{ name, status, body, message, charged, isRetryable, error: Object(job).error },
  });
  const see = (call: Promise<unknown>) =>
    call.then(
      (value) => seen.push(value),
      (error) => seen.push(told(error)),
    );
  for (const one of [stranger, client]) {
    await see(one.request("POST", "/public/v1/apps", { body: {} as never }));
    await see(one.request("POST", "/public/v1/screenshots", { body: {} as never }));
    await see(one.jobs.get("no-such-job"));
  }
  for (const [path, body] of [["apps", "{}"], ["screenshots", "{}"], ["jobs/no-such-job"]] as const) {
    const method = body === undefined ? "GET" : "POST";
    const response = await platform.fetch(`${platform.baseUrl}/public/v1/${path}`, {
      method,
      ...(body && { body }),
    });
    seen.push([response.status, await response.text()]);
  }
  await client.apps.create({ iosUrl: "https://apps.apple.com/app/id1" });
  await see(client.screenshots.create({ ...params, appId: "no-such-app" }));
  const onUpdate = ({ status }: { status: string }) => seen.push(status);
  const wait = client.screenshots.createAndWait(params, { onUpdate });
  await see(wait.then(({ status, result, credits }) => [status, result, credits.cost]));
  return seen;
}

test("a program sees on the mock what it saw on the service, whatever that was", async () => {
  const runs = fc.asyncProperty(drawnService, async (service) => {
    const { refusals, set } = service;
    const { cost, states, slides, error } = set;
    const isFailed = ["failed", "broken"].includes(states.at(-1) ?? "");
    const refusalsOf = (name: "createApp" | "createScreenshots" | "getJob") => ({
      ...{ missingKey: refusals[`${name} no key`], wrongKey: refusals[`${name} wrong key`] },
      ...{
        invalidRequest: refusals[`${name} {}`],
        notFound: refusals[`${name} ${name === "getJob" ? "job" : "app"}`],
      },
    });
    const recorded: Recorded = {
      version: 1,
      refusals: {
        createApp: refusalsOf("createApp"),
        createScreenshots: refusalsOf("createScreenshots"),
        getJob: refusalsOf("getJob"),
      },
      set: { cost, states, count: 5, ...(isFailed ? { error } : { slides }) },
    };
    const { clock, baseUrl } = createMock().clientOptions;
    const mock = createMock({ recorded: JSON.parse(JSON.stringify(recorded)), strict: true });

    const onService = await program({ apiKey: "right-key", baseUrl, clock, fetch: played(service) });
    const onMock = await program(mock.clientOptions);

    expect(onMock).toEqual(onService);
    expect(mock.requests().flatMap(({ guesses }) => guesses)).toEqual([]);
  });
  await fc.assert(runs, { numRuns: draws(1_200) });
});
