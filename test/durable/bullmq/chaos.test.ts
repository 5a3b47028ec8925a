import { afterAll, beforeAll, expect, test } from "vitest";
import { buildProgram } from "../../helpers/built-program.js";
import { concurrency, rampage } from "../../helpers/chaos.js";
import { RedisServer } from "../../helpers/redis-server.js";

// Real processes, which are killed. `CHAOS_SETS=1000 CHAOS_PROCESSES=8 CHAOS_SEEDS=10 npx vitest run --project bullmq
// test/durable/bullmq/chaos` takes a quarter of an hour.
const { CHAOS_SETS, CHAOS_PROCESSES, CHAOS_SEEDS } = process.env;
const sets = Number(CHAOS_SETS ?? 30);
const processes = Number(CHAOS_PROCESSES ?? 3);
const seeds = Array.from({ length: Number(CHAOS_SEEDS ?? 1) }, (_, index) => index + 1);
const pace = CHAOS_SETS
  ? { everyMs: 200, mostDeeds: Number.POSITIVE_INFINITY }
  : { everyMs: 400, mostDeeds: 6 };

// One of their own, as it is killed too.
const redis = await RedisServer.start();
if (redis === undefined && process.env.REQUIRE_SERVICES)
  throw new Error("Expected redis-server to be installed.");

let program: Awaited<ReturnType<typeof buildProgram>>;
beforeAll(async () => {
  program = await buildProgram("chaos-worker", "chaos");
});
afterAll(async () => {
  program.remove();
  await redis?.stop();
});

test.skipIf(redis === undefined).each(seeds)(
  "sets whose data is overwritten, on processes and a Redis that are killed and blocked, are charged once at most, and all end (seed %i)",
  { timeout: 60_000 + 600 * sets },
  async (seed) => {
    const options = { sets, processes, seed, ...pace, redisDiesAfter: 2 + seed };
    const verdict = await rampage(program.path, redis as RedisServer, options);
    const { deeds, staleWrites, done, uncertain, ...wrong } = verdict;
    const none = { otherFailures: [], double: [], unpaid: [], unknownCharges: 0 };
    expect({ seed, ...wrong, ended: done + uncertain }).toEqual({ seed, ...none, ended: sets });
    expect(staleWrites).toBeGreaterThan(sets);
    // No more than were in a create when their process met its end.
    expect(uncertain).toBeLessThanOrEqual(deeds * concurrency);
    if (CHAOS_SETS) process.stdout.write(`${JSON.stringify({ seed, ...verdict })}\n`);
  },
);
