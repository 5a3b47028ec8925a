import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { createMock, type MockOptions, type Recorded } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { refusalReasons } from "../../src/mock/refusal-reasons.js";
import { draws } from "../helpers/draws.js";
import { openMock } from "./ask.js";
import { drawnService, played, program } from "./drawn-service.js";

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
  [
    { states: ["partial"], slides: [1], error: { code: 7 } },
    { status: "partial", result: null, error: { code: 7 } },
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
  [
    { version: 1, refusals: { getJob: { insufficientCredits: refusal } } },
    "recorded.refusals.getJob: Expected no insufficientCredits",
  ],
  [{ version: 1, set: { states: [] } }, "recorded.set.states: Expected at least 1"],
  ...["queued", "running"].map((status): [unknown, string] => [
    { version: 1, set: { states: ["planning", status] } },
    "recorded.set.states.1: Expected a status that ends the job",
  ]),
  [
    { version: 1, set: { states: ["queued", "failed", "running", "succeeded"] } },
    "recorded.set.states.1: Expected the end of the job to be the last",
  ],
  [{ version: 1, set: { slides: {} } }, "recorded.set.slides: Expected an array, got an object"],
])("refuses %j by the field that is wrong: %s", (recorded, says) => {
  const make = () => createMock({ recorded: recorded as Recorded });

  expect(make).toThrow(TypeError);
  expect(make).toThrow(`Expected \`recorded\` to be what \`verify --out\` writes. ${says}`);
});

test.each(Object.keys(refusalReasons))("the docs name %s among the reasons of a refusal", (reason) => {
  const [row] = readFileSync("docs/is-the-mock-true.md", "utf8").match(/^\| `refusals\..*/m) ?? [];
  expect(row).toContain(`\`${reason}\``);
});

test("keeps the recording as it was given", async () => {
  const recorded = { version: 1, set: { slides: [{ caption: "given" }] } } satisfies Recorded;
  const { createJob, look } = openMock({ recorded, lifecycle: "instant" });
  const [slide] = recorded.set.slides;
  if (slide) slide.caption = "changed";

  expect((await look(await createJob({ count: 1 }))).body.result.slides).toEqual([{ caption: "given" }]);
});

test("a program sees on the mock what it saw on the service, whatever that was", async () => {
  const runs = fc.asyncProperty(drawnService, async (service) => {
    const { refusals, set } = service;
    const { cost, states, slides, error } = set;
    const isFailed = ["failed", "broken"].includes(states.at(-1) ?? "");
    const refusalsOf = (name: "createApp" | "createScreenshots" | "getJob") => ({
      missingKey: refusals[`${name} no key`],
      wrongKey: refusals[`${name} wrong key`],
      invalidRequest: refusals[`${name} {}`],
      notFound: refusals[`${name} ${name === "getJob" ? "job" : "app"}`],
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
  await fc.assert(runs, { numRuns: draws(600) });
});
