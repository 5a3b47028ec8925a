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
