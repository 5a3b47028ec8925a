import type { Job, Queue } from "bullmq";
import type { CreateScreenshotsParams, PlannedSet } from "../../types.js";
import type { SetState } from "../set-state.js";

/** The data of a set's job. Its other fields are left unchanged. */
export interface SetData {
  /** The parameters of the set, as for `screenshots.create`. */
  params: CreateScreenshotsParams;
  /** The state of the set, maintained by the processor. */
  state?: SetState;
}

/** A set in the queue. */
export type SetJob = Job<SetData, PlannedSet>;

/** The part of a queue that a processor uses. */
export type SetQueue = Pick<Queue, "getJob" | "getRateLimitTtl" | "rateLimit">;

/** The largest integer that BullMQ accepts, even for a queue on PostgreSQL. */
export const largestInteger = 2 ** 31 - 1;

/** The count with which BullMQ's `rateLimit` stops a queue. Lower counts are those of a `limiter`. */
const stoppedCount = Number.MAX_SAFE_INTEGER;

/** The field of a job's hash that has the record. BullMQ neither reads nor writes it, and removes it with the job. */
const field = "screenshotSets";

/** Scripts that Redis runs atomically. */
const scripts = {
  read: { numberOfKeys: 1, lua: `return redis.call("HGET", KEYS[1], "${field}")` },
  /**
   * Replaces the data and the record of a job. Returns those stored if they have changed, and null if the job is gone
   * or, where a token is given, its lock has another one.
   */
  replace: {
    numberOfKeys: 2,
    lua: `
      local stored = redis.call("HMGET", KEYS[1], "data", "${field}")
      local data, record = stored[1], stored[2] or ""
      if not data then return false end
      if data ~= ARGV[1] or record ~= ARGV[2] then return {data, record} end
      if ARGV[5] ~= "" and redis.call("GET", KEYS[2]) ~= ARGV[5] then return false end
      redis.call("HSET", KEYS[1], "data", ARGV[3])
      if ARGV[4] == "" then redis.call("HDEL", KEYS[1], "${field}")
      else redis.call("HSET", KEYS[1], "${field}", ARGV[4]) end
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

/** A state as a job keeps it, in its data and in its record. */
export type KeptState = SetState & {
  /** The address of the service that the set was ordered from. */
  baseUrl?: string;
};

/** What a job holds of its set: the data, which anybody may replace, and the record, which is only the processor's. */
export interface Kept {
  data: SetData;
  record: KeptState | undefined;
}

/** The record of a job; undefined if it has none, and on a queue without Redis. */
export async function readRecord(queue: SetQueue, jobId: string): Promise<KeptState | undefined> {
  const text = await run(queue, "read", [jobId], []);
  return typeof text === "string" ? JSON.parse(text) : undefined;
}

/**
 * Changes the data and the record of a job atomically. On a queue without Redis, only the data is stored, and another
 * change may come in between.
 *
 * @param last what the job held when this worker last saw it, which it usually still does
 * @param change returns what to store, or undefined to store nothing
 * @param token the token that the lock must have; BullMQ's own `updateData` does not check it
 * @returns what was stored; undefined if nothing was, because of `change` or because the job or the lock is gone
 */
export async function changeJob(
  queue: SetQueue,
  jobId: string,
  last: Kept,
  change: (now: Kept) => Kept | undefined,
  token = "",
): Promise<Kept | undefined> {
  let [data, record] = written(last);
  for (;;) {
    const next = change({ data: JSON.parse(data), record: record ? JSON.parse(record) : undefined });
    if (next === undefined) return undefined;
    const keys = [jobId, `${jobId}:lock`];
    const outcome = await run(queue, "replace", keys, [data, record, ...written(next), token]);
    if (outcome === undefined) return changeWithoutRedis(queue, jobId, last, change);
    if (!Array.isArray(outcome)) return outcome === 1 ? next : undefined;
    [data, record] = outcome as [string, string];
  }
}

function written({ data, record }: Kept): [string, string] {
  return [JSON.stringify(data), record === undefined ? "" : JSON.stringify(record)];
}

async function changeWithoutRedis(
  queue: SetQueue,
  jobId: string,
  { record }: Kept,
  change: (now: Kept) => Kept | undefined,
): Promise<Kept | undefined> {
  const job = await queue.getJob(jobId);
  const next = job && change({ data: job.data, record });
  if (next !== undefined) await job?.updateData(next.data);
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

/** Runs a script; resolves to undefined on a queue without Redis. */
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
