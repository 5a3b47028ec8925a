import { setTimeout as delay } from "node:timers/promises";
import { ScreenshotSets } from "screenshot-sets";

// A process that waits for a job, and has nothing else to do. It is given the address of a service and how its
// wait is to end; when it exits, it writes for how many milliseconds it lived on.

const [baseUrl, how] = process.argv.slice(2);
const client = new ScreenshotSets({ apiKey: "key", baseUrl: baseUrl as string });
const ignore = () => {};
const slow = { minDelayMs: 20_000 };

const ends: Record<string, () => Promise<unknown>> = {
  success: () => client.waitForJob("succeeded"),
  failure: () => client.waitForJob("failed").catch(ignore),
  "a refusal": () => client.waitForJob("forbidden").catch(ignore),
  "the deadline": () => client.waitForJob("running", { timeoutMs: 300, ...slow }).catch(ignore),
  "the deadline, with a request in flight": () =>
    client.waitForJob("hang", { timeoutMs: 300, ...slow }).catch(ignore),
  "an abort in a pause": () => aborted("running"),
  "an abort in flight": () => aborted("hang"),
  "an abort of many that share a signal": () =>
    Promise.all(Array.from({ length: 100 }, (_, index) => aborted(index % 2 ? "hang" : `running-${index}`))),
  "a loop that is left": async () => {
    for await (const _ of client.watchJob("running", slow)) break;
  },
  "a return() during a pending next()": async () => {
    const watch = client.watchJob("hang", slow)[Symbol.asyncIterator]();
    const next = watch.next();
    await delay(100);
    await watch.return?.();
    await next;
  },
};

const controller = new AbortController();
const signal = controller.signal;
function aborted(id: string): Promise<unknown> {
  setTimeout(() => controller.abort(), 100);
  return client.waitForJob(id, { signal, ...slow }).catch(ignore);
}

await ends[how as string]?.();
const endedAt = performance.now();
process.once("exit", () => process.stdout.write(`${performance.now() - endedAt}`));
