import fc from "fast-check";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type BatchProgram, batchProgram } from "../helpers/batch-process.js";
import { BatchWeek, week } from "../helpers/batch-week.js";
import { draws } from "../helpers/draws.js";
import { loadOwnModules } from "../helpers/own-modules.js";
import { shortenLockTimes, shorterLockTimes } from "../helpers/short-times.js";

// `BATCH_WEEKS=1000 npx vitest run --project cli test/cli/batch-week` takes some minutes. A week has twelve sets.
const weeks = Number(process.env.BATCH_WEEKS ?? draws(60));

shortenLockTimes(shorterLockTimes);

let program: BatchProgram;
beforeAll(async () => {
  program = await batchProgram("batch-week");
});
afterAll(() => program.remove());

test("a week of outages, aborts, deaths, moves and takeovers charges no set of a batch twice, and loses none", {
  timeout: 3_600_000,
}, async () => {
  loadOwnModules();
  Object.assign((await import("../../src/batch/file-lock.js")).lockTimes, shorterLockTimes);
  const world = { command: inject("command"), program, another: await import("screenshot-sets/batch") };
  const tally: Record<string, number> = { uncertain: 0, budget: 0, "taken over": 0 };
  const lived = fc.asyncProperty(week, async (drawn) => {
    const { broken, ends } = await BatchWeek.live(drawn, world);
    expect(broken).toEqual([]);
    for (const end of ends) tally[end] = (tally[end] ?? 0) + 1;
  });
  // A week that fails is told as it was drawn: to shrink it would take hundreds of weeks.
  await fc.assert(lived, { numRuns: weeks, endOnFailure: true });
  // Weeks in which everything goes well prove little. A few may do so by chance.
  if (weeks < 20) return;
  for (const count of Object.values(tally)) expect(count).toBeGreaterThanOrEqual(Math.floor(weeks / 20));
});
