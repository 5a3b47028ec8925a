import { isTerminal, type Job } from "screenshot-sets";
import { expect, test } from "vitest";
import { collect } from "../helpers/collect.js";
import { rejection } from "../helpers/rejection.js";
import { job, waitScene } from "../helpers/wait-scene.js";

// How a job has ended, also where the document does not have its status.

const result = { device: "iphone-69", slides: [] };
const error = { message: "no listing" };
const odd = (status: string, more: object) => ({ ...job("job-1", status), ...more }) as unknown as Job;

const jobs: [what: string, job: Job, end: "succeeded" | "failed" | undefined][] = [
  ["of an unknown status with an error has failed", odd("cancelled", { error }), "failed"],
  ["of an unknown status with an error and a result has failed", odd("partial", { error, result }), "failed"],
  ["of an unknown status with a result has succeeded", odd("archived", { result }), "succeeded"],
  ["of an unknown status with neither goes on", odd("paused", {}), undefined],
  ["that runs and has a result goes on", odd("running", { result }), undefined],
];

test.each(jobs)("a job %s", async (_, found, end) => {
  expect(isTerminal(found)).toBe(end !== undefined);
  const reply = () => ({ status: 200, body: found });
  const outcome = await waitScene(reply)
    .client.waitForJob("job-1", { timeoutMs: 5000 })
    .catch((reason) => reason);
  if (end === "succeeded") expect(outcome).toMatchObject({ ...found });
  else if (end === "failed") expect(outcome).toMatchObject({ name: "JobFailedError", job: found });
  else
    expect(outcome.message).toContain(
      `it was ${found.status} when last seen. Call \`waitForJob\` with its id`,
    );

  const seen = collect(waitScene(reply).client.watchJob("job-1", { timeoutMs: 5000 }));
  if (end) expect(await seen).toHaveLength(1);
  else expect(await rejection(seen)).toMatchObject({ name: "JobTimeoutError" });
});

test("says of a job that is queued when the deadline passes that it was queued, and not that it runs", async () => {
  const { client } = waitScene(() => "queued");
  const { message } = await rejection(client.waitForJob("job-1", { timeoutMs: 1000 }));
  expect(message).toContain("it was queued when last seen");
  expect(message).not.toContain("running");
});
