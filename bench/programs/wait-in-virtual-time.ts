/**
 * Sends the outcomes of one contestant to its parent. A separate program, because its time is virtual. Arguments: the
 * contestant's name and a mode: each job is the first of a new client (`first`), or comes after 100 similar ones of its
 * client (`learned`).
 */
import { own } from "../contestants.js";
import { distributions, durationsOf, hardDistributions } from "../waiting/durations.js";
import { mean, type Outcome } from "../waiting/outcome.js";
import { randomFrom } from "../waiting/random.js";
import { SimulatedService } from "../waiting/simulated-service.js";
import { installVirtualTime } from "../waiting/virtual-time.js";
import { type Waiter, waiters } from "../waiting/waiters.js";

const [name = "", mode = "first"] = process.argv.slice(2);
const service = new SimulatedService(installVirtualTime(1));
const waiter = waiters[name] as Waiter;
const measuredJobs = 100;
const jobsBefore = 100;
/** The number of clients with different jobs and so different plans. A peer learns nothing, so one is enough. */
const clients = name === own ? 5 : 1;

type Look = { looks: number; lateMs: number; durationMs: number };

/** Waits for jobs one after another. */
async function waitFor(durations: number[]): Promise<Look[]> {
  const looks: Look[] = [];
  let wait = await waiter(service);
  for (const [index, durationMs] of durations.entries()) {
    // Contestants that poll alike draw the same jitter for the same job.
    Math.random = randomFrom(65_537 * (durations.length - index));
    if (mode === "first") wait = await waiter(service);
    looks.push({ ...(await service.measure(durationMs, wait)), durationMs });
  }
  return looks;
}

async function outcomeOf(distribution: string): Promise<Outcome> {
  const looks: Look[] = [];
  for (let client = 0; client < clients; client++) {
    const durations = durationsOf(distribution, jobsBefore + measuredJobs, 1 + client);
    const waited = mode === "first" ? durations.slice(jobsBefore) : durations;
    looks.push(...(await waitFor(waited)).slice(-measuredJobs));
  }
  return {
    distribution,
    looks: mean(looks.map(({ looks }) => looks)),
    lateness: mean(looks.map(({ lateMs, durationMs }) => lateMs / durationMs)),
  };
}

const outcomes: Outcome[] = [];
for (const name of Object.keys({ ...distributions, ...hardDistributions }))
  outcomes.push(await outcomeOf(name));
process.send?.(outcomes);
