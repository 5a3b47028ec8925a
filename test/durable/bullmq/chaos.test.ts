import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "tsup";
import { afterAll, beforeAll, expect, test } from "vitest";
import { concurrency, rampage, type Verdict } from "../../helpers/chaos.js";
import { RedisServer } from "../../helpers/redis-server.js";

// Real processes, which are killed. `CHAOS_SETS=1000 CHAOS_PROCESSES=8 CHAOS_SEEDS=10 npx vitest run --project bullmq
// test/durable/bullmq/chaos` takes half an hour.
const sets = Number(process.env.CHAOS_SETS ?? 30);
const processes = Number(process.env.CHAOS_PROCESSES ?? 3);
const seeds = Array.from({ length: Number(process.env.CHAOS_SEEDS ?? 1) }, (_, index) => index + 1);
const everyMs = Number(process.env.CHAOS_EVERY_MS ?? (process.env.CHAOS_SETS ? 200 : 400));
const mostDeeds = process.env.CHAOS_SETS ? Number.POSITIVE_INFINITY : 6;

const folder = fileURLToPath(new URL("../../.chaos", import.meta.url));
const program = join(folder, "chaos-worker.js");

// One of their own, as it is killed too.
const redis = await RedisServer.start();
if (redis === undefined && process.env.REQUIRE_SERVICES)
  throw new Error("Expected redis-server to be installed.");

beforeAll(async () => {
  await build({
    entry: ["test/helpers/chaos-worker.ts"],
    outDir: folder,
    config: false,
    silent: true,
    format: "esm",
    target: "node20",
    external: ["bullmq"],
    noExternal: ["openapi-fetch", /^zod/],
    esbuildOptions(options) {
      options.alias = {
        "screenshot-sets/bullmq": "./src/durable/bullmq/index.ts",
        "screenshot-sets": "./src/index.ts",
      };
    },
  });
}, 60_000);

afterAll(async () => {
  await redis?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const timeout = 60_000 + 600 * sets;

function expectAtMostOnce(
  { kills, stops, staleWrites, done, uncertain, ...wrong }: Verdict,
  seed: number,
): void {
  const none = { otherFailures: [], double: [], unpaid: [], unknownCharges: 0 };
  expect({ seed, ...wrong, ended: done + uncertain }).toEqual({ seed, ...none, ended: sets });
  expect(staleWrites).toBeGreaterThan(sets);
  // No more than were in a create when their process met its end.
  expect(uncertain).toBeLessThanOrEqual((kills + stops) * concurrency);
  if (process.env.CHAOS_SETS)
    process.stdout.write(`${JSON.stringify({ seed, kills, stops, staleWrites, done, uncertain })}\n`);
}

test.skipIf(redis === undefined).each(seeds)(
  "sets whose data is overwritten, on processes that are killed and blocked, are charged once at most, and all end (seed %i)",
  { timeout },
  async (seed) => {
    const options = { sets, processes, seed, everyMs, mostDeeds };
    expectAtMostOnce(await rampage(program, redis as RedisServer, options), seed);
  },
);

test.skipIf(redis === undefined).each(seeds)(
  "so are they when Redis is killed, too (seed %i)",
  { timeout },
  async (seed) => {
    const options = { sets, processes, seed, everyMs, mostDeeds, redisDiesAfter: 2 + seed };
    expectAtMostOnce(await rampage(program, redis as RedisServer, options), seed);
  },
);
