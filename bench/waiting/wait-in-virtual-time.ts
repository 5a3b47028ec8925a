/**
 * A program of its own, for its time is virtual: prints the outcomes of one contestant as JSON.
 * Arguments: its name, and whether each job is a client's `first`, comes after others like it (`learned`), or after
 * a `change`.
 */
import { distributions, durationsOf } from "./durations.js";
import { mean, type Outcome } from "./outcome.js";
import { SimulatedService } from "./simulated-service.js";
import { installVirtualTime } from "./virtual-time.js";
import { waiters } from "./waiters.js";

const [name = "", mode = "first"] = process.argv.slice(2);
const service = new SimulatedService(installVirtualTime(1));
const measuredJobs = 100;
const jobsBefore = 100;
/** Clients whose jobs before differ: what they learned does too. */
const learningClients = 5;

type Look = { looks: number; lateMs: number; durationMs: number };

/** Waits for jobs, one after the other, with one client for all of them or with a new one for each. */
async function waitFor(durations: number[], isShared: boolean): Promise<Look[]> {
  const looks: Look[] = [];
  const waiter = waiters[name];
  if (waiter === undefined) throw new Error(`There is no contestant ${name}.`);
  let wait = await waiter(service);
  for (const durationMs of durations) {
    if (!isShared) wait = await waiter(service);
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
  for (const distribution of Object.keys(distributions)) {
    const measured = durationsOf(distribution, measuredJobs);
    const looks: Look[] = mode === "first" ? await waitFor(measured, false) : [];
    for (let client = 0; client < learningClients && mode === "learned"; client++) {
      const before = durationsOf(distribution, jobsBefore, 2 + client);
      looks.push(...(await waitFor([...before, ...measured], true)).slice(jobsBefore));
    }
    results.push({ distribution, ...summary(looks) });
  }
  return results;
}

/** A hundred jobs of about ten seconds, and then thirty of about a minute: the last ten of these. */
async function change(): Promise<Outcome[]> {
  const durations = [...durationsOf("about 10 s", jobsBefore), ...durationsOf("about 60 s", 30)];
  const looks = await waitFor(durations, true);
  return [{ distribution: "about 60 s", ...summary(looks.slice(-10)) }];
}

console.log(JSON.stringify(mode === "change" ? await change() : await outcomes()));
