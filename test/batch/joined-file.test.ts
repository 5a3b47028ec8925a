import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { ScreenshotSets, setCost } from "screenshot-sets";
import { fileStore, runBatch, type StoredSet } from "screenshot-sets/batch";
import { createMock } from "screenshot-sets/mock";
import { beforeEach, expect, test } from "vitest";
import { run, short } from "../helpers/batch-scene.js";
import { collect } from "../helpers/collect.js";
import { draws } from "../helpers/draws.js";
import { temporaryFolder } from "../helpers/temporary-folder.js";

// A state that is kept in git, or in a cache of CI, goes on in two places, and somebody puts both together.

let path: string;
beforeEach(() => {
  path = join(temporaryFolder(), "sets.json");
});

const params = { appId: "app_1", device: "iphone-69" } as const;
const first = '{"format":"screenshot-sets batch 2"}\n';

/** Lines of the set `a`, by short words: `sending 1`, `job_2 10`, `uncertain 3`, `nothing`; `again` before keeps what stood. */
function lines(words: string[], from = 0): string {
  let before: object | undefined;
  const values = words.map((word, index) => {
    const [step = "", cost] = word.replace("again ", "").split(" ");
    const at = 1_700_000_000_000 + Number(cost ?? 0);
    const earlier = word.startsWith("again") && before ? { earlier: [before] } : {};
    if (step === "nothing") return null;
    const state = step.startsWith("job_")
      ? {
          version: 2,
          step: "accepted",
          jobId: step,
          credits: { cost: Number(cost), remaining: 1 },
          at,
          polls: 0,
        }
      : { version: 2, step, at, ...(step === "sending" && { mark: `${index}` }) };
    before = state;
    return { version: 2, params, state, ...earlier };
  });
  return values
    .map((value, index) => `\t${JSON.stringify({ key: "a", n: from + index + 1, value })}\n`)
    .join("");
}

const refused = ["sending 1", "nothing"];
const twice = [...refused, "sending 2", "nothing"];
const paid = ["sending 3", "job_1 20"];

/** How the set stands, and the rest of what may have been paid. */
test.each<[what: string, histories: string[][], stands: string, others?: string[]]>([
  ["refused in one, refused in the other", [refused, twice], "new"],
  ["refused more often in one, paid in the other", [twice, paid], "joined, job_1"],
  ["paid in one, refused more often in the other", [paid, twice], "joined, job_1"],
  ["refused as often in one, paid in the other", [refused, paid], "joined, job_1"],
  ["paid in one, refused as often in the other", [paid, refused], "accepted", []],
  ["refused in one, in flight in the other", [refused, ["sending 3"]], "joined"],
  ["in flight in one, refused in the other", [["sending 3"], refused], "joined"],
  ["refused in one, uncertain in the other", [twice, ["sending 3", "uncertain 3"]], "joined"],
  ["uncertain in one, refused in the other", [["sending 3", "uncertain 3"], twice], "joined"],
  ["in flight in one, paid in the other", [["sending 1"], paid], "accepted"],
  ["paid in both", [paid, ["sending 1", "job_2 7"]], "accepted", ["job_2 7"]],
  [
    "paid in both, refused in a third",
    [paid, ["sending 1", "job_2 7"], twice],
    "joined, job_2",
    ["job_1 20"],
  ],
  [
    "paid in one, in flight in the other, refused in a third",
    [paid, ["sending 4"], twice],
    "joined",
    ["job_1 20"],
  ],
  [
    "paid again in one, refused in the other",
    [
      [...paid, "again sending 5", "again job_3 5"],
      [...twice, ...refused],
    ],
    "joined, job_3",
    ["job_1 20"],
  ],
  [
    "paid in both, and stored more often",
    [
      ["sending 1", "job_2 7", "job_2 7"],
      [...paid, "job_1 20", "job_1 20"],
    ],
    "accepted",
    ["job_2 7"],
  ],
  ["ordered once more after it was paid, in one place", [[...paid, "again sending 5"]], "sending", []],
  [
    "paid, and a line of a process that slept",
    [[...refused, "sending 4", "job_1 9"], ["sending 3"]],
    "accepted",
  ],
])("a set that is %s", async (_, histories, stands, others = []) => {
  writeFileSync(path, first + histories.map((words) => lines(words)).join(""));
  const before = readFileSync(path, "utf8");
  const store = fileStore(path);
  const value = (await store.load("a")) as StoredSet | undefined;
  const { step = "new", jobId, cause } = { ...value?.state } as Record<string, string>;
  const joined = ["joined", jobId].filter(Boolean).join(", ");
  expect(step === "uncertain" && cause ? joined : step).toBe(stands);
  expect((await store.otherJobs()).map((job) => `${job.jobId} ${job.credits?.cost}`)).toEqual(others);
  expect(await collect(store.list())).toEqual(value ? [["a", value]] : []);
  if (stands.startsWith("joined")) {
    const message = expect.stringMatching(/^The state was joined from two histories/);
    expect(value).toMatchObject({
      params,
      state: { version: 2, cause: { name: "JoinedHistories", message } },
    });
    expect(value?.state?.at).toBeGreaterThan(1_700_000_000_000);
  }

  // A save compares with that very value, and has the next number.
  const n = Math.max(...histories.map(({ length }) => length)) + 1;
  if (value) expect(await store.save("a", 1, undefined)).toBe(false);
  expect(await store.save("a", { next: true }, value)).toBe(true);
  await store.close();
  expect(readFileSync(path, "utf8")).toBe(`${before}\t{"key":"a","n":${n},"value":{"next":true}}\n`);
});

test.each<[what: string, values: unknown[], stands: string | undefined]>([
  ["created in one", [{ app: { appId: "app_7" } }], "of which one has the app app_7"],
  ["being created in one", [], "of which one has a create whose end is not known"],
  ["unclear in one", [{ cause: { name: "Error", message: "lost" } }], "of which one has a create whose end"],
  ["refused in one", [null], undefined],
])("an app that is %s of two histories, and refused more often in the other", async (_, values, message) => {
  const record = {
    baseUrl: "https://service.example/api/v1",
    params: { iosUrl: "https://apps.apple.com/app/id1" },
  };
  const line = (value: unknown, index: number) =>
    `${JSON.stringify({ key: "app:us", n: index + 1, value: value && { ...record, ...value } })}\n`;
  const histories = [
    [{}, ...values],
    [{}, null, {}, null],
  ];
  writeFileSync(path, first + histories.flatMap((history) => history.map(line)).join(""));
  const store = fileStore(path);
  const found = await store.load("app:us");
  if (message === undefined) expect(found).toBeUndefined();
  else {
    const cause = { name: "JoinedHistories", message: expect.stringContaining(message) };
    expect(found).toEqual({ ...record, cause });
  }
  expect(await store.save("app:us", record, found)).toBe(true);
  await store.close();
});

type Answer = "paid" | "refused" | "lost before" | "lost after" | "killed before" | "killed after";

/** A service, and two sets that are ordered from it in several places. */
async function joinedScene() {
  const mock = createMock({ allowance: 100_000, lifecycle: "instant" });
  const { appId } = await new ScreenshotSets(mock.clientOptions).apps.create({
    iosUrl: "https://apps.apple.com/us/app/example/id1",
  });
  const orderOf = (narrativeId: string) => ({ appId, device: "iphone-69", narrativeId }) as const;
  const sets = { a: orderOf("a"), b: orderOf("b") };
  /** The keys of all creates, and of those that are paid for, or may be. */
  const ordered: string[] = [];
  const maybePaid = new Set<string>();
  let answers: Answer[] = [];
  let killed: string | undefined;
  const fetch: typeof globalThis.fetch = async (address, init) => {
    if (init?.method !== "POST") return mock.fetch(address, init);
    const { narrativeId } = JSON.parse(String(init.body));
    ordered.push(narrativeId);
    const answer = answers.shift() ?? "paid";
    if (answer === "refused") return Response.json({}, { status: 422 });
    maybePaid.add(narrativeId);
    const response = answer.endsWith("before") ? undefined : await mock.fetch(address, init);
    if (answer === "paid") return response as Response;
    if (answer.startsWith("killed")) {
      killed = readFileSync(path, "utf8");
      answers = ["refused"];
    }
    throw new TypeError("fetch failed");
  };
  const client = new ScreenshotSets({ ...mock.clientOptions, fetch });
  /** Runs a batch whose first creates are answered so, and the others refused. Returns what is in the file. */
  const live = async (before: string, first: Answer[]): Promise<string> => {
    writeFileSync(path, before);
    killed = undefined;
    answers = [...first, "refused", "refused"];
    await run(client, { sets, store: fileStore(path), concurrency: 1 });
    answers = [];
    return killed ?? readFileSync(path, "utf8");
  };
  return { client, sets, another: orderOf("new"), live, maybePaid, ordered };
}

test.each(["refused first", "paid first"])(
  "a set that was refused twice in one place and paid in another, %s, is not ordered again but by `again`",
  async (order) => {
    const { client, sets, another, live, ordered } = await joinedScene();
    const one = await live(await live("", ["paid"]), ["refused"]);
    const other = await live("", ["refused", "paid"]);
    writeFileSync(path, order === "paid first" ? other + one : one + other);
    const store = fileStore(path);
    const before = ordered.length;
    const outcomes = await collect(runBatch(client, { sets, store }));
    expect(short(outcomes)).toEqual({ a: "succeeded", b: "uncertain: maybe" });
    expect(outcomes.find(({ key }) => key === "b")?.error).toMatchObject({
      ...{
        name: "CreateInterruptedError",
        charged: "maybe",
        jobId: "job_2",
        cause: { name: "JoinedHistories" },
      },
      message: expect.stringContaining(
        "one has job job_2, so the set may have been charged: call `waitForJob` with its id to see how it ends",
      ),
    });

    const more = { sets: { ...sets, another }, store };
    const full = { ...more, maxCredits: 3 * setCost - 1 };
    expect(await run(client, full)).toMatchObject({ another: "skipped: budget" });
    expect(ordered).toHaveLength(before);
    const again = { sets, store, again: ["b"] };
    const planned = { a: "succeeded", b: "succeeded" };
    for (const options of [again, { sets, store }]) expect(await run(client, options)).toEqual(planned);
    expect(await run(client, { ...more, maxCredits: 4 * setCost - 1 })).toMatchObject({
      another: "skipped: budget",
    });
    expect(ordered.slice(before)).toEqual(["b"]);
  },
);

const answer = fc.constantFrom<Answer>(
  ...(["paid", "refused", "refused", "lost before", "lost after", "killed before", "killed after"] as const),
);
const runs = fc.array(fc.array(answer, { maxLength: 2 }), { maxLength: 3 });
const edit = fc.constantFrom<(text: string) => string>(
  ...[(text: string) => text, (text: string) => text, (text: string) => text.trimEnd()],
  ...[(text: string) => text.replaceAll("\n", "\r\n"), (text: string) => text && `\uFEFF${text}`],
);
const twoPlaces = fc.record({
  shared: runs,
  ours: runs,
  theirs: runs,
  edit,
  editTheirs: edit,
  isWhole: fc.boolean(),
});

test("what may be paid in one of two places is not ordered again when their files are joined, and counts", async () => {
  const tally = { "as it was": 0, joined: 0, ordered: 0 };
  const joins = fc.asyncProperty(twoPlaces, async ({ shared, ours, theirs, edit, editTheirs, isWhole }) => {
    const { client, sets, another, live, maybePaid, ordered } = await joinedScene();
    const grow = async (before: string, runs: Answer[][]) => {
      let text = before;
      for (const answers of runs) text = await live(text, [...answers]);
      return text;
    };
    const base = await grow("", shared);
    const [one, other] = [await grow(base, ours), await grow(base, theirs)];
    const joined = edit(one) + editTheirs(isWhole ? other : other.slice(base.length));
    writeFileSync(path, joined);

    const store = fileStore(path);
    for (const [key, value] of (await collect(store.list())) as [string, StoredSet][]) {
      expect(maybePaid).toContain(key);
      tally[JSON.stringify(value.state).includes("JoinedHistories") ? "joined" : "as it was"]++;
    }
    // One credit too few for one more.
    const jobs = new Set((one + other).match(/(?<="jobId":")\w+/g));
    const maxCredits = (jobs.size + 1) * setCost - 1;
    const more = { sets: { new: another }, store, maxCredits };
    expect(await run(client, more)).toEqual({ new: "skipped: budget" });

    const before = { ordered: ordered.length, maybePaid: new Set(maybePaid) };
    await run(client, { sets, store });
    for (const key of ordered.slice(before.ordered)) expect(before.maybePaid).not.toContain(key);
    tally.ordered += ordered.length - before.ordered;
    writeFileSync(path, joined);
    const ends = await run(client, { sets, store, again: ["a", "b"] });
    expect(ends).toEqual({ a: "succeeded", b: "succeeded" });
  });
  await fc.assert(joins, { numRuns: Math.max(draws(400), 120), endOnFailure: true });
  // Files in which all was paid, or nothing, prove little.
  for (const count of Object.values(tally)) expect(count).toBeGreaterThan(0);
});
