/**
 * Sends the cost of many concurrent waits to its parent. Run with `--expose-gc`. Arguments: the name of the contestant,
 * and the number of waits.
 */
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { ConcurrentJobs } from "../waiting/concurrent-jobs.js";
import { type Waiter, waitersById } from "../waiting/waiters.js";

/** The cost of many concurrent waits. */
export interface Cost {
  /** The mean time by which an end was seen late. */
  lateSeconds: number;
  /** For each wait. */
  heapBytes: number;
  /** For each job. */
  polls: number;
}

const [name = "", count = ""] = process.argv.slice(2);

/** The number of waits that begin in the same turn of the event loop. */
const begunAtOnce = 100;

/** Starts waits of a new client, one for each job. */
async function begin(count: number, fromMs: number, toMs: number) {
  const waiter = waitersById[name] as Waiter;
  const jobs = new ConcurrentJobs(count, { fromMs, toMs });
  const wait = await waiter(jobs);
  const waits: Promise<unknown>[] = [];
  while (waits.length < count) {
    waits.push(wait(jobs.accept()));
    if (waits.length % begunAtOnce === 0) await turn();
  }
  return { jobs, waits };
}

function heapBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

async function costOf(count: number): Promise<Cost> {
  // Warms up: what is compiled and kept for the life of the process is no cost of the waits.
  await Promise.all((await begin(200, 0, 2000)).waits);
  const before = heapBytes();
  const startedAt = performance.now();
  const { jobs, waits } = await begin(count, 8000, 12_000);
  await sleep(6000 - (performance.now() - startedAt));
  const during = heapBytes();
  await Promise.all(waits);
  return {
    lateSeconds: jobs.meanLateMs / 1000,
    heapBytes: (during - before) / count,
    polls: jobs.looks / count,
  };
}

process.send?.(await costOf(Number(count)));
