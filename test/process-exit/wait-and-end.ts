import { setTimeout as delay } from "node:timers/promises";
import { ScreenshotSets } from "screenshot-sets";

// A process that waits for a job, and has nothing else to do. It is given the address of a service and how its
// wait is to end; when it exits, it writes for how many milliseconds it lived on.

const [baseUrl, how] = process.argv.slice(2);
const client = new ScreenshotSets({ apiKey: "key", baseUrl: baseUrl as string });
const ignore = () => {};
const slow = { minDelayMs: 20_000 };
const signal = AbortSignal.timeout(100);

const ends: Record<string, () => Promise<unknown>> = {
  success: () => client.waitForJob("succeeded"),
  "a refusal": () => client.waitForJob("forbidden").catch(ignore),
  "the deadline": () => client.waitForJob("running", { timeoutMs: 300, ...slow }).catch(ignore),
  "the deadline, with a request in flight": () =>
    client.waitForJob("hang", { timeoutMs: 300, ...slow }).catch(ignore),
  "an abort of many that share a signal": () =>
    Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        client.waitForJob(index % 2 ? "hang" : `running-${index}`, { signal, ...slow }).catch(ignore),
      ),
    ),
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

await ends[how as string]?.();
const endedAt = performance.now();
process.once("exit", () => process.stdout.write(`${performance.now() - endedAt}`));
