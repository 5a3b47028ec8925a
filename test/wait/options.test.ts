import { isTerminal, pollDelayMs } from "screenshot-sets";
import { expect, test, vi } from "vitest";
import { job, waitScene } from "../helpers/wait-scene.js";

test("takes a shortest and a longest delay that are the same, or nothing", async () => {
  const timesOf = async (ms: number) => {
    const scene = waitScene(({ count }) => (count < 3 ? "running" : "succeeded"));
    await scene.client.waitForJob("job-1", { minDelayMs: ms, maxDelayMs: ms });
    return scene.times();
  };
  expect(await timesOf(500)).toEqual([0, 500, 1000, 1500]);
  // A timer for no time takes up to a millisecond.
  expect((await timesOf(0)).at(-1)).toBeLessThanOrEqual(3);
});

test("calls onUpdate once per change of status, with the job", async () => {
  const statuses = ["queued", "queued", "running", "running", "queued", "succeeded"];
  const scene = waitScene(({ count }) => statuses[count] as string);
  const seen: unknown[] = [];
  await scene.client.waitForJob("job-1", { onUpdate: (found) => seen.push(found) });
  expect(seen).toEqual(["queued", "running", "queued", "succeeded"].map((status) => job("job-1", status)));
});

test("logs what an onUpdate throws or rejects with, and goes on", async () => {
  const { client, log } = waitScene(({ count }) => (count === 0 ? "running" : "succeeded"));
  const error = new Error("in onUpdate");
  const onUpdate = ({ status }: { status: string }) => {
    if (status === "running") throw error;
    return Promise.reject(error);
  };
  const waits = [{ onUpdate }, {}].map((options) => client.waitForJob("job-1", options));
  expect(await Promise.all(waits)).toMatchObject([{ status: "succeeded" }, { status: "succeeded" }]);
  expect(log).toEqual(Array(2).fill(["onUpdate threw", { jobId: "job-1", error }]));
});

test("lets a queue poll with jobs.get, pollDelayMs and isTerminal, as often as a wait would", async () => {
  const scene = waitScene(({ at }) => (at < 60_000 ? "running" : "succeeded"));
  for (;;) {
    const found = await scene.client.jobs.get("job-1");
    if (isTerminal(found)) break;
    await scene.clock.sleep(pollDelayMs(scene.now()));
  }
  expect(scene.now()).toBeLessThanOrEqual(66_000);
  // The middle of the jitter of a wait, which `pollDelayMs` leaves out.
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const waited = waitScene(({ at }) => (at < 60_000 ? "running" : "succeeded"));
  await waited.client.waitForJob("job-1");
  expect(Math.abs(scene.polls.length - waited.polls.length)).toBeLessThanOrEqual(1);
});
