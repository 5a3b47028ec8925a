import { expect, test } from "vitest";
import { waitScene } from "../helpers/wait-scene.js";

const many = 100_000;

/** Seconds of the processor that `run` takes: they pass on no fake clock, and not for what else the machine does. */
function processorSeconds(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

test("ends a hundred thousand waits on one job at an abort, in no time that grows with their square", async () => {
  const scene = waitScene(() => "running");
  const controller = new AbortController();
  const { signal } = controller;
  let aborted = 0;
  for (let left = many; left > 0; left--) {
    scene.client.waitForJob("job-1", { signal }).catch((reason) => {
      if (reason === "enough") aborted++;
    });
  }

  // Were it quadratic, about a minute.
  expect(processorSeconds(() => controller.abort("enough"))).toBeLessThan(10);

  await scene.clock.sleep(0);
  expect(aborted).toBe(many);
  await scene.expectNothingLeft(signal);
}, 120_000);

test("those who go on waiting keep their updates, whoever leaves before them", async () => {
  const scene = waitScene(({ at }) => (at < 1500 ? "running" : "succeeded"));
  const terms = { minDelayMs: 1000, maxDelayMs: 1000 };
  const controllers = Array.from({ length: 9 }, () => new AbortController());
  const waits = controllers.map(({ signal }) => scene.client.waitForJob("job-1", { ...terms, signal }));
  const outcomes = Promise.allSettled(waits);
  const leaving = [0, 8, 3, 7, 1];
  scene.at(500, () => leaving.forEach((index) => void controllers[index]?.abort(index)));

  const ended = (await outcomes).map((outcome) =>
    outcome.status === "fulfilled" ? outcome.value.status : outcome.reason,
  );

  expect(ended).toEqual(controllers.map((_, index) => (leaving.includes(index) ? index : "succeeded")));
  await scene.expectNothingLeft(...controllers.map(({ signal }) => signal));
});
