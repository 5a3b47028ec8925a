import type { Queue } from "bullmq";

/** What a processor asks of a queue. */
export type SetQueue = Pick<Queue, "getJob" | "getRanges" | "getRateLimitTtl" | "rateLimit">;

/** The largest integer that BullMQ takes for a queue on PostgreSQL, too. */
export const largestInteger = 2 ** 31 - 1;

/** What BullMQ counts a queue up to that `rateLimit` stopped; below is what a `limiter` counts. */
const stoppedCount = Number.MAX_SAFE_INTEGER;

/** What Redis runs as a whole: no other command comes between. */
const scripts = {
  /** Stores the data of a job while its lock has this token. */
  storeOwned: {
    numberOfKeys: 2,
    lua: `
      if redis.call("EXISTS", KEYS[1]) == 0 or redis.call("GET", KEYS[2]) ~= ARGV[1] then return 0 end
      redis.call("HSET", KEYS[1], "data", ARGV[2])
      return 1`,
  },
  /** Stops a queue, unless it is stopped for longer. */
  stop: {
    numberOfKeys: 1,
    lua: `
      local isStopped = tonumber(redis.call("GET", KEYS[1]) or 0) >= tonumber(ARGV[1])
      if isStopped and redis.call("PTTL", KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
      redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
      return 1`,
  },
};

/**
 * Stores the data of a job if this worker holds its lock, which BullMQ's own `updateData` does not ask for.
 *
 * @returns whether it did; undefined where the queue is not on Redis
 */
export async function storeOwned(
  queue: SetQueue,
  jobId: string,
  token: string,
  data: unknown,
): Promise<boolean | undefined> {
  const stored = await run(queue, "storeOwned", [jobId, `${jobId}:lock`], [token, JSON.stringify(data)]);
  return stored === undefined ? undefined : stored === 1;
}

/** Stops the whole queue, for as long as the longest of several 429s says: by itself, BullMQ takes the last one. */
export async function stopQueue(queue: SetQueue, forMs: number): Promise<void> {
  if ((await run(queue, "stop", ["limiter"], [stoppedCount, forMs])) !== undefined) return;
  await queue.rateLimit(Math.max(forMs, await queue.getRateLimitTtl(largestInteger)));
}

/** A client of Redis as BullMQ has it, whichever package it is made with. */
type Redis = Record<string, (...args: (string | number)[]) => Promise<unknown>> & {
  defineCommand(name: string, script: { numberOfKeys: number; lua: string }): void;
};

/** The client is public in BullMQ 5; in BullMQ 6 the backend has it, where it is Redis. */
interface RedisQueue {
  toKey(type: string): string;
  client?: Promise<Redis>;
  getBackend?(): { client?: Promise<Redis> };
}

async function run(
  queue: SetQueue,
  script: keyof typeof scripts,
  keys: string[],
  args: (string | number)[],
): Promise<unknown> {
  const onRedis = queue as unknown as RedisQueue;
  const redis = await (onRedis.getBackend?.() ?? onRedis).client;
  if (redis === undefined) return undefined;
  const command = `screenshotSets:${script}`;
  if (!(command in redis)) redis.defineCommand(command, scripts[script]);
  return redis[command]?.(...keys.map((key) => onRedis.toKey(key)), ...args);
}
