import type { ScreenshotSets, WaitOptions } from "screenshot-sets";
import { expect, test } from "vitest";
import { collect } from "../helpers/collect.js";
import { everySecond, type Reply, set, waitScene } from "../helpers/wait-scene.js";

type Run = (client: ScreenshotSets, options: WaitOptions) => Promise<unknown>;

const wait: Run = (client, options) => client.waitForJob("job-1", options);
const watch: Run = (client, options) => collect(client.watchJob("job-1", options));
const createAndWait: Run = (client, options) => client.screenshots.createAndWait(set, options);
const leave: Run = async (client, options) => {
  for await (const _ of client.watchJob("job-1", options)) break;
};
const failInLoop: Run = async (client, options) => {
  for await (const _ of client.watchJob("job-1", options)) throw new Error("in the loop");
};

/** What the service answers from the third poll on, how the job is waited for, and when the signal aborts. */
const ends: [how: string, third: Reply, run: Run, abortAt?: number][] = [
  ["a job that succeeded", "succeeded", wait],
  ["a job that failed", "failed", wait],
  ["a refusal", { status: 403 }, wait],
  ["a Retry-After past the deadline", { status: 503, headers: { "retry-after": "3600" } }, wait],
  ["the deadline, in a pause", "running", wait],
  ["the deadline, in a request", "hang", wait],
  ["the deadline, after a failure", { status: 503 }, wait],
  ["an abort in a pause", "running", wait, 2500],
  ["an abort in a request", "hang", wait, 2500],
  ["the end of a watch", "succeeded", watch],
  ["the deadline of a watch", "running", watch],
  ["an abort of a watch", "running", watch, 2500],
  ["a loop that is left", "running", leave],
  ["an error in a loop", "running", failInLoop],
  ["the success of a job that was created", "succeeded", createAndWait],
  ["the deadline of a job that was created", "running", createAndWait],
  ["an abort of a wait for a job that was created", "running", createAndWait, 2500],
];

test.each(ends)("nothing is left after %s", async (_, third, run, abortAt = 0) => {
  for (const waits of [1, 3]) {
    const scene = waitScene(({ count }) => (count < 2 ? "running" : third));
    const signal = abortAt > 0 ? scene.abortAt(abortAt) : new AbortController().signal;
    const options = { ...everySecond, timeoutMs: 10_000, signal };

    await Promise.allSettled(Array.from({ length: waits }, () => run(scene.client, options)));

    expect(scene.now()).toBeLessThanOrEqual(10_000);
    await scene.expectNothingLeft(signal);
  }
});
