import { runBatch } from "screenshot-sets/batch";
import type { SetStore } from "screenshot-sets/durable";
import { createMock } from "screenshot-sets/mock";
import { postgresStore } from "screenshot-sets/postgres";
import { expect, onTestFinished, test, vi } from "vitest";
import { collect } from "../helpers/collect.js";
import { SetScene } from "../helpers/set-scene.js";

type Answer = (text: string, values: string[]) => unknown;

/** A database that answers as `answer` says; undefined is an answer that everything was stored. */
function databaseThat(answer: Answer) {
  const statements: string[] = [];
  const store = postgresStore(async (text, values) => {
    if (text.includes("to_regclass")) return { rows: [{ there: true }] };
    if (text.startsWith("select record")) return { rows: [] };
    const isQuestion = text.includes("txid_current_if_assigned");
    statements.push(isQuestion ? "question" : (/^\w+/.exec(text)?.[0] ?? ""));
    return answer(text, values) ?? [[{ stored: true }], 1];
  });
  return { store, statements };
}

/** Runs a step whose pauses are on fake timers. */
async function stepWithin(ms: number, set: SetScene, store: SetStore) {
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const step = set.step({ store }).catch((error) => error);
  await vi.advanceTimersByTimeAsync(ms);
  return step;
}

const down = new Error("the database is down");
const throws = (error: unknown) => {
  throw error;
};

test.each<[what: string, isIt: Answer, before: string[]]>([
  ["an acceptance", (_, values) => values.some((value) => value.includes('"accepted"')), []],
  ["the removal of a record that was not stored", () => true, ["insert", "insert"]],
  [
    "the removal of a record whose create was not sent",
    (text) => !text.startsWith("insert"),
    ["insert", "question", "question"],
  ],
])(
  "%s is tried for two minutes, more and more rarely, but at least every eight seconds",
  async (what, isIt, before) => {
    const set = await SetScene.of();
    const triedAtMs: number[] = [];
    const { store, statements } = databaseThat((text, values) => {
      if (!isIt(text, values)) return undefined;
      triedAtMs.push(performance.now());
      throw down;
    });
    const error = await stepWithin(200_000, set, store);
    if (what === "an acceptance") expect(error).toMatchObject({ jobId: "job_1", cause: down });
    else expect(error).toBe(down);
    expect(statements.slice(0, before.length)).toEqual(before);
    expect(set.creates).toBe(what === "an acceptance" ? 1 : 0);
    // Before it, two tries failed.
    const triedAtLast = triedAtMs.slice(before.length > 0 ? 2 : 0);
    const pausesMs = triedAtLast.slice(1).map((at, index) => at - (triedAtLast[index] as number));
    expect(pausesMs.slice(0, 7)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 8_000]);
    const allMs = pausesMs.reduce((sum, ms) => sum + ms);
    expect(allMs).toBeGreaterThanOrEqual(120_000);
    expect(allMs).toBeLessThan(130_000);
  },
);

test("a record that was stored though its reply was lost in an outage is removed once the database is back, as nothing was sent", async () => {
  const set = await SetScene.of();
  let isDown = false;
  let isThere = false;
  const { store } = databaseThat((text) => {
    if (isDown) throw down;
    if (text.startsWith("with")) isThere = false;
    if (!text.startsWith("insert")) return undefined;
    [isThere, isDown] = [true, true];
    setTimeout(() => {
      isDown = false;
    }, 20_000);
    throw new Error("the reply was lost");
  });
  expect(await stepWithin(60_000, set, store)).toMatchObject({ message: "the reply was lost" });
  expect([isThere, set.creates]).toEqual([false, 0]);
});

test("the record that `again` replaced is put back once the database is back, if the repeated order is refused", async () => {
  const set = await SetScene.of();
  set.state = { version: 2, step: "sending", at: 0, mark: "of a process that died" };
  const crashed = JSON.stringify(set.record);
  let stored = crashed;
  let failures = 3;
  const statements: string[] = [];
  const store = postgresStore(async (text, values) => {
    if (text.includes("to_regclass")) return [{ there: true }];
    if (text.startsWith("select record")) return [{ record: stored }];
    const isPutBack = text.startsWith("update") && stored !== crashed;
    statements.push(isPutBack ? "put back" : text.startsWith("update") ? "update" : "question");
    if (isPutBack && failures-- > 0) throw down;
    if (text.startsWith("update")) stored = String(values[1]);
    return [{ stored: true }];
  });
  set.mock.fault({ status: 402 }, { operation: "createScreenshots" });
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const sets = { [set.key]: set.params };
  const outcomes = collect(runBatch(set.client, { sets, store, again: [set.key] }));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await outcomes).toMatchObject([{ status: "uncertain", reason: "credits" }]);
  expect(stored).toBe(crashed);
  expect(statements).toEqual(["update", "question", "put back", "put back", "put back", "put back"]);
});

test("a second try finds stored what the first one stored, whose reply was lost", async () => {
  const set = await SetScene.of();
  let tries = 0;
  const { store, statements } = databaseThat((text) => {
    if (text.startsWith("insert") && ++tries === 1) throw new Error("the reply was lost");
  });
  expect(await set.step({ store })).toMatchObject({ status: "waiting", jobId: "job_1" });
  expect(statements).toEqual(["insert", "insert", "question", "update"]);
});

test.each([[[]], [[{ stored: false }]], [{ rows: [{ stored: null }] }]])(
  "a create is not sent where the question about an open transaction is answered with %j",
  async (answer) => {
    const set = await SetScene.of();
    const { store, statements } = databaseThat((text) => (text.includes("txid") ? answer : undefined));
    await expect(set.step({ store })).rejects.toMatchObject({
      name: "ConfigurationError",
      message: expect.stringMatching(/an open transaction, or its `query` reads elsewhere than it writes/),
    });
    expect(set.creates).toBe(0);
    expect(statements).toEqual(["insert", "question", "with"]);
  },
);

const aborted = { code: "25P02" };

test.each([
  aborted,
  new Error("failed", { cause: aborted }),
  Object.assign(new Error("failed"), { original: aborted }),
])("in a transaction that was aborted, nothing is tried again: %o", async (error) => {
  const set = await SetScene.of();
  for (const failing of ["insert", "question"]) {
    const { store, statements } = databaseThat((text) =>
      failing === "insert" || text.includes("txid") || text.startsWith("with") ? throws(error) : undefined,
    );
    await expect(set.step({ store })).rejects.toBe(error);
    expect(statements).toEqual(failing === "insert" ? ["insert", "with"] : ["insert", "question", "with"]);
  }
  expect(set.creates).toBe(0);
});

test("an acceptance is stored on another connection, should one be left in a transaction that was aborted", async () => {
  const set = await SetScene.of();
  let updates = 0;
  const { store } = databaseThat((text) => {
    if (text.startsWith("update") && ++updates === 1) throw aborted;
  });
  expect(await stepWithin(1_000, set, store)).toMatchObject({ status: "waiting", jobId: "job_1" });
});

test.each([
  ["the look for the table", "to_regclass"],
  ["the creation of the table", "create table"],
  ["the first statement", "select record"],
])("where %s fails at the first use, the step rejects with that very error", async (_, failing) => {
  const set = await SetScene.of();
  const store = postgresStore(async (text) => {
    if (text.includes(failing)) throw down;
    return [{ there: failing === "select record", may_create: true }];
  });
  await expect(set.step({ store })).rejects.toBe(down);
  expect(set.creates).toBe(0);
});

const missing = { code: "42P01" };

test.each<[what: string, error: object, looks: number, second: () => unknown]>([
  ["an outage", down, 1, () => expect.fail()],
  ["a connection that looks into another schema", missing, 2, () => [{ there: true }]],
  ["a table that nobody can look for any more", missing, 2, () => throws(down)],
])(
  "%s is told by the database's own error, and not as a table that is gone",
  async (_, error, looks, second) => {
    const set = await SetScene.of();
    let asked = 0;
    const store = postgresStore(async (text) => {
      if (!text.includes("to_regclass")) throw error;
      return ++asked === 1 ? [{ there: true }] : second();
    });
    await expect(set.step({ store })).rejects.toBe(error);
    expect(asked).toBe(looks);
  },
);

test("a look that can't be stored rejects at once, since a later step looks again", async () => {
  const set = await SetScene.of(createMock({ lifecycle: "manual" }));
  await set.step();
  const stored = [{ there: true, record: JSON.stringify(set.record) }];
  const store = postgresStore(async (text) => {
    if (text.startsWith("update")) throw down;
    return stored;
  });
  await expect(set.step({ store })).rejects.toBe(down);
  expect(set.looks).toBe(1);
});

test("a database over HTTP that cannot be reached is no mistake in `query`", async () => {
  const set = await SetScene.of();
  const failure = new TypeError("fetch failed");
  await expect(set.step({ store: postgresStore(() => Promise.reject(failure)) })).rejects.toBe(failure);
});

test.each([undefined, { rowCount: 1 }, "1 row", 1])(
  "what resolves to %o instead of rows is refused",
  async (result) => {
    const set = await SetScene.of();
    const store = postgresStore(async () => result);
    await expect(set.step({ store })).rejects.toMatchObject({
      name: "ConfigurationError",
      message: expect.stringContaining("what `query` resolves to"),
    });
    expect(set.creates).toBe(0);
  },
);

test.each([
  [() => postgresStore(null as never), "Expected `query` to be a function that runs a statement"],
  [() => postgresStore(async () => [], { tabel: "sets" } as never), "`postgresStore`"],
])("refuses a wrong argument at once: %o", (create, named) => {
  expect(create).toThrow(named);
});

test.each([7, "sets; drop table orders", "a.b.c", ".sets", "billing.", "billing.7", "billing.s-1"])(
  "refuses what is no name of a table: %o",
  (table) => {
    const create = () => postgresStore(async () => [], { table: table as string });
    expect(create).toThrow("Expected `table` to be the name of a table");
  },
);
