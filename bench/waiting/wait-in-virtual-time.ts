/**
 * A program of its own, for its time is virtual: prints the outcomes of one contestant as JSON.
 * Arguments: its name, and whether each job is a client's `first`, the first of one that starts with what another
 * learned of jobs like it (`kept`), comes after others like it (`learned`), or after a `change`.
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
const isOwn = name === "screenshot-sets";
/** Clients whose jobs differ: what they learned does too. A peer learns nothing, and one is enough. */
const clients = isOwn ? 5 : 1;

/** How many jobs have one client. */
const sharing = { first: 0, kept: jobsBefore }[mode] ?? Number.POSITIVE_INFINITY;

type Look = { looks: number; lateMs: number; durationMs: number };

/** Waits for jobs, one after the other, with one client for the first ones and with a new one for each of the rest. */
async function waitFor(durations: number[]): Promise<Look[]> {
  const looks: Look[] = [];
  const waiter = waiters[name];
  if (waiter === undefined) throw new Error(`There is no contestant ${name}.`);
  let wait = await waiter(service);
  let learned: string | undefined;
  for (const [index, durationMs] of durations.entries()) {
    // Whoever polls alike draws the same jitter for the same job.
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
  for (const distribution of Object.keys(
    isOwn ? { ...distributions, ...hardDistributions } : distributions,
  )) {
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

/** A hundred jobs of about ten seconds, and then thirty of about a minute: the last ten of these. */
async function change(): Promise<Outcome[]> {
  const durations = [...durationsOf("about 10 s", jobsBefore), ...durationsOf("about 60 s", 30)];
  const looks = await waitFor(durations);
  return [{ distribution: "about 60 s", ...summary(looks.slice(-10)) }];
}

console.log(JSON.stringify(mode === "change" ? await change() : await outcomes()));
