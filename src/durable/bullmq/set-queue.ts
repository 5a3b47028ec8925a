import type { Queue } from "bullmq";

/** The part of a queue that a processor uses. */
export type SetQueue = Pick<Queue, "getJob" | "getRanges" | "getRateLimitTtl" | "rateLimit">;

/** The largest integer that BullMQ accepts, even for a queue on PostgreSQL. */
export const largestInteger = 2 ** 31 - 1;

/** The count with which BullMQ's `rateLimit` stops a queue. Lower counts are those of a `limiter`. */
const stoppedCount = Number.MAX_SAFE_INTEGER;

/** Scripts that Redis runs atomically. */
const scripts = {
  /** Stores the data of a job if its lock has this token. */
  storeOwned: {
    numberOfKeys: 2,
    lua: `
      if redis.call("EXISTS", KEYS[1]) == 0 or redis.call("GET", KEYS[2]) ~= ARGV[1] then return 0 end
      redis.call("HSET", KEYS[1], "data", ARGV[2])
      return 1`,
  },
  /** Stops a queue, unless it is already stopped for at least as long. */
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
 * Stores the data of a job if this worker holds its lock, which BullMQ's own `updateData` does not check.
 *
 * @returns whether it was stored; undefined if the queue is not on Redis
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

/** Stops the whole queue for the longest time that any of several 429s asks for. BullMQ itself takes the last one. */
export async function stopQueue(queue: SetQueue, forMs: number): Promise<void> {
  if ((await run(queue, "stop", ["limiter"], [stoppedCount, forMs])) !== undefined) return;
  await queue.rateLimit(Math.max(forMs, await queue.getRateLimitTtl(largestInteger)));
}

/** A Redis client as BullMQ provides it, whichever package created it. */
type Redis = Record<string, (...args: (string | number)[]) => Promise<unknown>> & {
  defineCommand(name: string, script: { numberOfKeys: number; lua: string }): void;
};

/** In BullMQ 5, the queue provides the client; in BullMQ 6, its backend does if it is Redis. */
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
