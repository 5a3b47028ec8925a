import type { Job, Queue } from "bullmq";

/** The part of a queue that a processor uses. */
export type SetQueue = Pick<Queue, "getJob" | "getRanges" | "getRateLimitTtl" | "rateLimit">;

/** The largest integer that BullMQ accepts, even for a queue on PostgreSQL. */
export const largestInteger = 2 ** 31 - 1;

/** The count with which BullMQ's `rateLimit` stops a queue. Lower counts are those of a `limiter`. */
const stoppedCount = Number.MAX_SAFE_INTEGER;

/** Scripts that Redis runs atomically. */
const scripts = {
  /**
   * Replaces the data of a job. Returns the stored data if that has changed, and null if the job is gone or, where a token
   * is given, its lock has another one.
   */
  replace: {
    numberOfKeys: 2,
    lua: `
      local stored = redis.call("HGET", KEYS[1], "data")
      if not stored or ARGV[3] ~= "" and redis.call("GET", KEYS[2]) ~= ARGV[3] then return false end
      if stored ~= ARGV[1] then return stored end
      redis.call("HSET", KEYS[1], "data", ARGV[2])
      return 1`,
  },
  /** Stops a queue. A longer stop, or a longer window of a `limiter` that is used up, is not shortened. */
  stop: {
    numberOfKeys: 1,
    lua: `
      local isStopped = tonumber(redis.call("GET", KEYS[1]) or 0) >= tonumber(ARGV[3])
      local left = isStopped and redis.call("PTTL", KEYS[1]) or 0
      redis.call("SET", KEYS[1], ARGV[1], "PX", math.max(left, tonumber(ARGV[2])))
      return 1`,
  },
};

/**
 * Changes the data of a job atomically. On a queue without Redis, another change may come in between.
 *
 * @param job with its data as last seen, which are usually still stored
 * @param change returns the new data, or undefined to leave the stored data unchanged
 * @param token the token that the lock must have; BullMQ's own `updateData` does not check it
 * @returns the new data; undefined if nothing was changed, because of `change` or because the job or the lock is gone
 */
export async function changeData<Data>(
  queue: SetQueue,
  job: Pick<Job<Data>, "id" | "data">,
  change: (stored: Data) => Data | undefined,
  token = "",
): Promise<Data | undefined> {
  const id = job.id as string;
  for (let stored = JSON.stringify(job.data); ; ) {
    const next = change(JSON.parse(stored));
    if (next === undefined) return undefined;
    const keys = [id, `${id}:lock`];
    const outcome = await run(queue, "replace", keys, [stored, JSON.stringify(next), token]);
    if (outcome === undefined) return changeWithoutRedis(queue, id, change);
    if (typeof outcome !== "string") return outcome === 1 ? next : undefined;
    stored = outcome;
  }
}

async function changeWithoutRedis<Data>(
  queue: SetQueue,
  jobId: string,
  change: (stored: Data) => Data | undefined,
): Promise<Data | undefined> {
  const job = await queue.getJob(jobId);
  const next = job && change(job.data);
  if (next !== undefined) await job?.updateData(next);
  return next;
}

/**
 * Stops the whole queue for the longest time that any of several 429s asks for. BullMQ itself takes the last one.
 *
 * @param limit how many starts the user's `limiter` allows in its window
 */
export async function stopQueue(queue: SetQueue, forMs: number, limit: number): Promise<void> {
  if ((await run(queue, "stop", ["limiter"], [stoppedCount, forMs, limit])) !== undefined) return;
  await queue.rateLimit(Math.max(forMs, await queue.getRateLimitTtl(limit)));
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
