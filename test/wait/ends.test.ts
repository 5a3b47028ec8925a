import type { ScreenshotSets, WaitOptions } from "screenshot-sets";
import { expect, test } from "vitest";
import { collect } from "../helpers/collect.js";
import { type Reply, waitScene } from "../helpers/wait-scene.js";

const set = { appId: "app-1", device: "iphone-69" } as const;
const terms = { minDelayMs: 1000, maxDelayMs: 1000, timeoutMs: 10_000 };

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
const failOnceAccepted: Run = (client, options) => {
  const onAccepted = () => Promise.reject(new Error("in onAccepted"));
  return client.screenshots.createAndWait(set, { ...options, onAccepted });
};
const failInUpdate: Run = (client, options) => {
  const onUpdate = () => {
    throw new Error("in onUpdate");
  };
  return client.waitForJob("job-1", { ...options, onUpdate });
};

const late: Reply = { status: 503, headers: { "retry-after": "3600" } };

/** What the service answers from the third poll on, how the job is waited for, and when the signal aborts. */
const ends: [how: string, third: Reply, run: Run, abortAt?: number][] = [
  ["a job that succeeded", "succeeded", wait],
  ["a job that failed", "failed", wait],
  ["a refusal", { status: 403 }, wait],
  ["an unknown job", { status: 404 }, wait],
  ["an answer that makes no sense", { status: 200, body: "<html>" }, wait],
  ["a Retry-After past the deadline", late, wait],
  ["the deadline, in a pause", "running", wait],
  ["the deadline, in a request", "hang", wait],
  ["the deadline, after a failure", { status: 503 }, wait],
  ["an abort before", "running", wait, 0],
  ["an abort in a pause", "running", wait, 2500],
  ["an abort in a request", "hang", wait, 2500],
  ["an onUpdate that throws", "succeeded", failInUpdate],
  ["the end of a watch", "succeeded", watch],
  ["the deadline of a watch", "running", watch],
  ["an abort of a watch", "running", watch, 2500],
  ["a loop that is left", "running", leave],
  ["an error in a loop", "running", failInLoop],
  ["the success of a job that was created", "succeeded", createAndWait],
  ["the failure of a job that was created", "failed", createAndWait],
  ["the deadline of a job that was created", "running", createAndWait],
  ["an abort of a wait for a job that was created", "running", createAndWait, 2500],
  ["an onAccepted that throws", "running", failOnceAccepted],
];

test.each(ends)("nothing is left after %s", async (_, third, run, abortAt = Number.POSITIVE_INFINITY) => {
  for (const waits of [1, 3]) {
    const scene = waitScene(({ count }) => (count < 2 ? "running" : third));
    const controller = new AbortController();
    const { signal } = controller;
    if (abortAt === 0) controller.abort();
    else if (abortAt < Number.POSITIVE_INFINITY) scene.at(abortAt, () => controller.abort());

    const all = Array.from({ length: waits }, () => run(scene.client, { ...terms, signal }));

    await Promise.allSettled(all);
    expect(scene.now()).toBeLessThanOrEqual(10_000);
    await scene.expectNothingLeft(signal);
  }
});
