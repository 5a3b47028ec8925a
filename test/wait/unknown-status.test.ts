import { isTerminal, type Job } from "screenshot-sets";
import { expect, test } from "vitest";
import { collect } from "../helpers/collect.js";
import { job, waitScene } from "../helpers/wait-scene.js";

// How a job has ended, also where the document does not have its status.

const result = { device: "iphone-69", slides: [] };
const error = { message: "no listing" };

const jobs: [what: string, status: string, more: object, end: "succeeded" | "failed" | undefined][] = [
  ["of an unknown status with an error has failed", "cancelled", { error }, "failed"],
  ["of an unknown status with an error and a result has failed", "partial", { error, result }, "failed"],
  ["of an unknown status with a result has succeeded", "archived", { result }, "succeeded"],
  ["of an unknown status with neither goes on", "paused", {}, undefined],
  ["that runs and has a result goes on", "running", { result }, undefined],
  ["that is queued is not said to be running", "queued", {}, undefined],
];

test.each(jobs)("a job %s", async (_, status, more, end) => {
  const found = { ...job("job-1", status), ...more } as unknown as Job;
  expect(isTerminal(found)).toBe(end !== undefined);
  const { client } = waitScene(() => ({ status: 200, body: found }));
  const outcome = await client.waitForJob("job-1", { timeoutMs: 5000 }).catch((reason) => reason);
  if (end === "succeeded") expect(outcome).toMatchObject({ ...found });
  else if (end === "failed") expect(outcome).toMatchObject({ name: "JobFailedError", job: found });
  else expect(outcome.message).toContain(`: it was ${status} when last seen. Call`);

  const seen = collect(client.watchJob("job-1", { timeoutMs: 5000 }));
  expect(await seen.catch(({ name }) => name)).toEqual(end ? [found] : "JobTimeoutError");
});
