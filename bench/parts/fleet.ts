import { Redis } from "ioredis";
import { RedisServer } from "../../test/helpers/redis-server.js";
import { Fleet, type Kind, type PlannedSet } from "../fleet/fleet.js";
import type { Part } from "../part.js";
import { about, type Durations } from "../waiting/durations.js";
import { geometricMean, mean } from "../waiting/outcome.js";
import { randomFrom } from "../waiting/random.js";

const kinds: Record<Kind, string> = {
  processor: "createProcessor",
  createAndWait: "`createAndWait` in a worker",
};
const processes = 2;
const concurrency = 25;

/** Durations that are short enough to wait for. */
const sorts: Durations[] = [about(2_000), about(6_000), (random) => 3_000 * (1 - random()) ** (-1 / 3)];

function drawn(sort: Durations, count: number, seed: number): number[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => Math.round(sort(random)));
}

const product = (sets: PlannedSet[]) =>
  mean(sets.map(({ polls }) => polls)) * mean(sets.map(({ lateness }) => lateness));

/** Polls × lateness of the first hundred sets of a fleet, and of the next hundred. */
async function paceOf(redis: RedisServer, kind: Kind, sort: Durations, seed: number) {
  const fleet = await Fleet.start(redis, kind, processes, 60);
  const first = drawn(sort, 100, seed);
  await fleet.add(first);
  await fleet.ended();
  // Workers read every few seconds what others have finished.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const later = drawn(sort, 100, seed + 1);
  await fleet.add(later);
  await fleet.ended();
  const sets = fleet.planned([...first, ...later]);
  await fleet.stop();
  return { cold: product(sets.slice(0, 100)), learned: product(sets.slice(100)) };
}

/** The rate at which many sets are planned whose jobs take two seconds, and the Redis commands per set. */
async function throughputOf(redis: RedisServer, client: Redis, kind: Kind) {
  const count = 400;
  const fleet = await Fleet.start(redis, kind, processes, concurrency);
  await client.config("RESETSTAT");
  const startedAt = performance.now();
  await fleet.add(Array(count).fill(2_000));
  await fleet.ended();
  const seconds = (performance.now() - startedAt) / 1000;
  const stats = await client.info("commandstats");
  const calls = [...stats.matchAll(/calls=(\d+)/g)].reduce((sum, [, number]) => sum + Number(number), 0);
  await fleet.stop();
  return { setsPerSecond: count / seconds, commands: calls / count };
}

/** The memory of sets that wait for their jobs, in Redis and in a worker. */
async function memoryOf(redis: RedisServer, client: Redis, kind: Kind) {
  const count = 1_000;
  // `createAndWait` needs one place for each set.
  const fleet = await Fleet.start(redis, kind, 1, kind === "processor" ? concurrency : count);
  // Excludes memory that does not depend on the number of sets.
  await fleet.add(Array(300).fill(1));
  await fleet.ended();
  const before = { redis: await usedMemory(client), heap: await fleet.heapBytes() };
  await fleet.add(Array(count).fill(600_000));
  await fleet.waiting();
  const after = { redis: await usedMemory(client), heap: await fleet.heapBytes() };
  await fleet.stop();
  return { redisBytes: (after.redis - before.redis) / count, heapBytes: (after.heap - before.heap) / count };
}

async function usedMemory(client: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await client.info("memory"))?.[1]);
}

export const part: Part = {
  name: "fleet",
  title: "Sets in a queue, on several processes",
  async run() {
    const redis = await RedisServer.start();
    if (redis === undefined) throw new Error("Expected redis-server to be installed.");
    const client = new Redis(redis.port);
    const rows = [];
    for (const kind of Object.keys(kinds) as Kind[]) {
      const paces = await Promise.all(sorts.map((sort, index) => paceOf(redis, kind, sort, 10 * index + 1)));
      rows.push({
        name: kinds[kind],
        cold: geometricMean(paces.map(({ cold }) => cold)),
        learned: geometricMean(paces.map(({ learned }) => learned)),
        ...(await throughputOf(redis, client, kind)),
        ...(await memoryOf(redis, client, kind)),
      });
    }
    await client.quit();
    await redis.stop();
    const [own] = rows;
    const nan = Number.NaN;
    return {
      columns: [
        "",
        "polls × lateness, first sets",
        "after 100 sets",
        "sets a second",
        "Redis commands a set",
        "Redis for a waiting set, bytes",
        "heap of a worker for a waiting set, bytes",
      ],
      rows: rows.map(({ name, cold, learned, setsPerSecond, commands, redisBytes, heapBytes }) => [
        name,
        cold,
        learned,
        setsPerSecond,
        commands,
        redisBytes,
        heapBytes,
      ]),
      goals: [
        { name: "polls × lateness of the first sets", measured: own?.cold ?? nan, atMost: 1.2 },
        { name: "polls × lateness after 100 sets", measured: own?.learned ?? nan, atMost: 0.5 },
        { name: "Redis for a waiting set, bytes", measured: own?.redisBytes ?? nan, atMost: 2_048 },
      ],
      notes: [
        `BullMQ on a Redis with an append-only file, ${processes} worker processes and the mock over loopback HTTP, on the real clock. The second row is what everybody writes first: it holds a place in a process for each set that waits, and a process that dies loses sets or pays them twice.`,
        "Polls × lateness: as under `polls`, as a geometric mean over three sorts of durations (about 2 s, about 6 s, Pareto from 3 s with α 3), 100 sets at once and then 100 more, all begun at once in 120 places.",
        `Sets a second: 400 sets whose jobs take 2 s, in ${processes * concurrency} places; commands are those that Redis counts, those of scripts included.`,
        "Memory: 1,000 sets that wait, with their parameters and BullMQ's own records, over an empty queue.",
      ],
    };
  },
};
