import { createMock } from "screenshot-sets/mock";
import { postgresStore } from "screenshot-sets/postgres";
import { expect, onTestFinished, test, vi } from "vitest";
import { SetScene } from "../helpers/set-scene.js";

test("what follows a create is tried for two minutes, more and more rarely, but at least every eight seconds", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const set = await SetScene.of();
  const triedAtMs: number[] = [];
  const down = new Error("the database is down");
  const store = postgresStore(async (text, values) => {
    if (text.includes("to_regclass")) return [{ there: true }];
    if (text.startsWith("select")) return [];
    if (!values.some((value) => value.includes('"step":"accepted"'))) return [{ stored: true }];
    triedAtMs.push(performance.now());
    throw down;
  });
  const step = set.step({ store }).catch((error) => error);
  await vi.advanceTimersByTimeAsync(200_000);
  expect(await step).toMatchObject({ name: "CreateInterruptedError", jobId: "job_1", cause: down });
  const pausesMs = triedAtMs.slice(1).map((at, index) => at - (triedAtMs[index] as number));
  expect(pausesMs.slice(0, 7)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 8_000]);
  const allMs = pausesMs.reduce((sum, ms) => sum + ms);
  expect(allMs).toBeGreaterThanOrEqual(120_000);
  expect(allMs).toBeLessThan(130_000);
});

/** A database that answers as `answer` says; undefined is an answer that everything was stored. */
function databaseThat(answer: (text: string, values: string[]) => unknown) {
  const statements: string[] = [];
  const store = postgresStore(async (text, values) => {
    if (text.includes("to_regclass")) return { rows: [{ there: true }] };
    if (text.startsWith("select")) return { rows: [] };
    statements.push(/^with|^\w+/.exec(text)?.[0] ?? "");
    return answer(text, values) ?? [[{ stored: true }], 1];
  });
  return { store, statements };
}

test("a create whose record can't be stored is tried once more, taken back, and not sent", async () => {
  const set = await SetScene.of();
  const down = new Error("the database is down");
  const { store, statements } = databaseThat(() => {
    throw down;
  });
  await expect(set.step({ store })).rejects.toBe(down);
  expect(statements).toEqual(["insert", "insert", "with"]);
  expect(set.creates).toBe(0);
});

test("a second try finds stored what the first one stored, whose reply was lost", async () => {
  const set = await SetScene.of();
  let tries = 0;
  const { store, statements } = databaseThat((text) => {
    if (text.startsWith("insert") && ++tries === 1) throw new Error("the reply was lost");
  });
  expect(await set.step({ store })).toMatchObject({ status: "waiting", jobId: "job_1" });
  expect(statements).toEqual(["insert", "insert", "update"]);
});

test("a look that can't be stored rejects at once, since a later step looks again", async () => {
  const set = await SetScene.of(createMock({ lifecycle: "manual" }));
  await set.step();
  const stored = [{ there: true, record: JSON.stringify(set.record) }];
  const down = new Error("the database is down");
  const store = postgresStore(async (text) => {
    if (text.startsWith("update")) throw down;
    return stored;
  });
  await expect(set.step({ store })).rejects.toBe(down);
  expect(set.looks).toBe(1);
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
