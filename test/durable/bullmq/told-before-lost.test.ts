import { DelayedError } from "bullmq";
import { ScreenshotSets } from "screenshot-sets";
import { expect } from "vitest";
import { QueueScene, redisTest as test } from "../../helpers/queue-scene.js";

test("the id of a paid job that Redis does not store within five seconds is logged, and so is that it was stored", async () => {
  const scene = new QueueScene();
  const { job, step } = await scene.taken();
  const lines: unknown[][] = [];
  let written = () => {};
  const isTold = new Promise<void>((resolve) => {
    written = resolve;
  });
  // While Redis is away, its client queues what it is given, without a word.
  const queue = scene.queueThrough((redis) =>
    scene.aroundWrites(redis, async (next, write) => {
      if (next?.step === "accepted") await isTold;
      return write();
    }),
  );
  const logger = {
    debug() {},
    info() {},
    warn: (...line: unknown[]) => void lines.push(["warn", ...line]),
    error: (...line: unknown[]) => {
      lines.push(["error", ...line]);
      written();
    },
  };
  const clock = {
    now: () => 0,
    sleep: async (ms: number) => (ms === 5_000 ? undefined : new Promise<never>(() => {})),
  };
  const client = new ScreenshotSets({ ...scene.mock.clientOptions, clock, logger });
  await expect(step({ client, queue })).rejects.toBeInstanceOf(DelayedError);
  expect(lines).toEqual([
    ["error", "The id of a paid job has not been stored for 5 s", { key: job.id, jobId: "job_1" }],
    ["warn", "The id of a paid job was stored after all", { key: job.id, jobId: "job_1" }],
  ]);
});
