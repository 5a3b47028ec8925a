import { join } from "node:path";
import { ScreenshotSets, setCost } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { afterAll, beforeAll, expect, test } from "vitest";
import { randomFrom } from "../../bench/waiting/random.js";
import { type BatchProgram, batchProgram } from "../helpers/batch-process.js";
import { draws } from "../helpers/draws.js";
import { temporaryFolder } from "../helpers/temporary-folder.js";

// Processes that are killed at planted points, over and over, until the batch is done.
// `BATCH_CRASHES=200 npx vitest run --project source test/batch/crash-points` takes some ten minutes.
const batches = Number(process.env.BATCH_CRASHES ?? draws(12));
const setsOfBatch = 20;

let program: BatchProgram;
beforeAll(async () => {
  program = await batchProgram("batch-crashes");
});
afterAll(() => program.remove());

async function killedBatch(seed: number, maxCredits?: number) {
  const mock = createMock({ clock: "system", allowance: 100_000 });
  const { url, close } = await mock.listen();
  const folder = temporaryFolder();
  const { appId } = await new ScreenshotSets(mock.clientOptions).apps.create({
    iosUrl: "https://apps.apple.com/us/app/example/id1",
  });
  const keys = Array.from({ length: setsOfBatch }, (_, index) => `set ${index}`);
  const sets = Object.fromEntries(keys.map((key) => [key, { appId, device: "iphone-69", narrativeId: key }]));
  const environment = {
    SCREENSHOT_SETS_API_KEY: mock.clientOptions.apiKey,
    SCREENSHOT_SETS_BASE_URL: url,
    STORE: join(folder, "sets.json"),
    SETS: JSON.stringify(sets),
    ...(maxCredits !== undefined && { MAX_CREDITS: String(maxCredits) }),
  };
  const draw = randomFrom(seed);
  const upTo = (most: number) => String(1 + Math.floor(draw() * most));
  let kills = 0;
  try {
    for (;;) {
      // Short runs crash at each of the first events, as the first one does; long ones in the middle of many sets.
      const CRASH_AT = upTo(kills === 0 || draw() < 0.5 ? 40 : 400);
      const report = await program.run({ ...environment, CRASH_AT });
      if (report)
        return { outcomes: report.outcomes, kills, charges: chargesOf(mock), ledger: ledgerOf(mock) };
      kills++;
    }
  } finally {
    await close();
  }
}

/** How often each set was charged. */
function chargesOf(mock: ReturnType<typeof createMock>): Map<string, number> {
  const charges = new Map<string, number>();
  for (const { body, credits } of mock.requests({ operation: "createScreenshots" })) {
    const { narrativeId } = body as { narrativeId: string };
    if (credits > 0) charges.set(narrativeId, (charges.get(narrativeId) ?? 0) + 1);
  }
  return charges;
}

const ledgerOf = (mock: ReturnType<typeof createMock>) =>
  mock.credits.ledger().reduce((sum, { amount }) => sum + Math.abs(amount), 0);

const seeds = Array.from({ length: batches }, (_, index) => index + 1);

test.each(seeds)(
  "batch %i: whatever is killed, each set ends and is charged at most once",
  { timeout: 300_000 },
  async (seed) => {
    const { outcomes, kills, charges, ledger } = await killedBatch(seed);
    expect(kills).toBeGreaterThan(0);
    expect(outcomes).toHaveLength(setsOfBatch);
    expect([...charges.values()].filter((count) => count > 1)).toEqual([]);
    const costs = outcomes.map(({ key, status, cost }) => {
      expect(["succeeded", "uncertain"]).toContain(status);
      if (status === "succeeded") expect(charges.get(key)).toBe(1);
      // The ledger knows of an uncertain set whether it was charged.
      return status === "succeeded" ? (cost as number) : setCost * (charges.get(key) ?? 0);
    });
    expect(costs.reduce((sum, cost) => sum + cost, 0)).toBe(ledger);
  },
);

test.each(seeds.slice(0, Math.ceil(batches / 4)))(
  "batch %i: whatever is killed, its budget is not passed",
  { timeout: 300_000 },
  async (seed) => {
    const { outcomes, charges, ledger } = await killedBatch(seed + 1_000, 12 * setCost);
    expect([...charges.values()].filter((count) => count > 1)).toEqual([]);
    expect(ledger).toBeLessThanOrEqual(12 * setCost);
    const counted = outcomes.filter(({ status }) => status === "succeeded" || status === "uncertain");
    expect(counted).toHaveLength(12);
    expect(outcomes.filter(({ reason }) => reason === "budget")).toHaveLength(setsOfBatch - 12);
  },
);
