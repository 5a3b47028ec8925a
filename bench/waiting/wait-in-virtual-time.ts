/**
 * A separate program, because its time is virtual. It prints the outcomes of one contestant as JSON. Arguments: the
 * contestant's name and a mode. Each job is the first of a new client (`first`), the first of a client that starts with
 * what another learned of similar jobs (`kept`), or comes after similar jobs (`learned`) or after a `change`.
 */
import { distributions, durationsOf, hardDistributions } from "./durations.js";
import { mean, type Outcome } from "./outcome.js";
import { randomFrom } from "./random.js";
import { SimulatedService } from "./simulated-service.js";
import { installVirtualTime } from "./virtual-time.js";
import { waiters } from "./waiters.js";

const [name = "", mode = "first"] = process.argv.slice(2);
const service = new SimulatedService(installVirtualTime(1));
const measuredJobs = 100;
const jobsBefore = 100;
/** The number of clients with different jobs and so different plans. A peer learns nothing, so one is enough. */
const clients = name === "screenshot-sets" ? 5 : 1;

/** The number of jobs that share one client. */
const sharing = { first: 0, kept: jobsBefore }[mode] ?? Number.POSITIVE_INFINITY;

type Look = { looks: number; lateMs: number; durationMs: number };

/** Waits for jobs one after another, with one client for the first ones and a new client for each of the rest. */
async function waitFor(durations: number[]): Promise<Look[]> {
  const looks: Look[] = [];
  const waiter = waiters[name];
  if (waiter === undefined) throw new Error(`There is no contestant ${name}.`);
  let wait = await waiter(service);
  let learned: string | undefined;
  for (const [index, durationMs] of durations.entries()) {
    // Contestants that poll alike draw the same jitter for the same job.
    Math.random = randomFrom(65_537 * (durations.length - index));
    if (index === sharing) learned = wait.learned?.();
    if (index >= sharing) wait = await waiter(service, learned);
    looks.push({ ...(await service.measure(durationMs, wait)), durationMs });
  }
  return looks;
}

const summary = (looks: Look[]) => ({
  looks: mean(looks.map(({ looks }) => looks)),
  lateness: mean(looks.map(({ lateMs, durationMs }) => lateMs / durationMs)),
});

async function outcomes(): Promise<Outcome[]> {
  const results: Outcome[] = [];
  for (const distribution of Object.keys({ ...distributions, ...hardDistributions })) {
    const looks: Look[] = [];
    for (let client = 0; client < clients; client++) {
      const durations = durationsOf(distribution, jobsBefore + measuredJobs, 1 + client);
      const waited = mode === "first" ? durations.slice(jobsBefore) : durations;
      looks.push(...(await waitFor(waited)).slice(-measuredJobs));
    }
    results.push({ distribution, ...summary(looks) });
  }
  return results;
}

/** Waits for 100 jobs of about 10 s and then 30 of about 60 s. Returns the outcome of the last ten. */
async function change(): Promise<Outcome[]> {
  const durations = [...durationsOf("about 10 s", jobsBefore), ...durationsOf("about 60 s", 30)];
  const looks = await waitFor(durations);
  return [{ distribution: "about 60 s", ...summary(looks.slice(-10)) }];
}

console.log(JSON.stringify(mode === "change" ? await change() : await outcomes()));
