/**
 * A separate program, run with `--expose-gc`, that prints the cost of many concurrent waits as JSON. Arguments: the
 * name of the contestant, and the number of waits.
 */
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { ConcurrentJobs } from "./concurrent-jobs.js";
import { EventLoopDelay } from "./event-loop-delay.js";
import { waitersById } from "./waiters.js";

/** The cost of many concurrent waits. */
export interface Load {
  heapBytes: number;
  delayMs: number;
  looks: number;
  mostInFlight: number;
  lateMs: number;
}

const [name = "", count = ""] = process.argv.slice(2);

/** The number of waits that begin in the same event loop tick. */
const begunAtOnce = 100;

/** Starts waits of a new client, one for each job. */
async function begin(count: number, fromMs: number, toMs: number) {
  const waiter = waitersById[name];
  if (waiter === undefined) throw new Error(`There is no contestant ${name}.`);
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

async function load(count: number): Promise<Load> {
  // Warms up: what is compiled and kept for the life of the process is no cost of the waits.
  await Promise.all((await begin(200, 0, 2000)).waits);
  const before = heapBytes();
  const delay = new EventLoopDelay();
  delay.start();
  const startedAt = performance.now();
  const { jobs, waits } = await begin(count, 8000, 12_000);
  await sleep(6000 - (performance.now() - startedAt));
  delay.stop();
  const during = heapBytes();
  delay.start();
  await Promise.all(waits);
  delay.stop();
  return {
    heapBytes: during - before,
    delayMs: delay.percentileMs(99),
    looks: jobs.looks,
    mostInFlight: jobs.mostInFlight,
    lateMs: jobs.meanLateMs,
  };
}

console.log(JSON.stringify(await load(Number(count))));
