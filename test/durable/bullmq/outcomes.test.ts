import { DelayedError, RateLimitError, UnrecoverableError } from "bullmq";
import type { SetState } from "screenshot-sets/durable";
import { expect } from "vitest";
import { inShort, rowsOf, type Situation, situationOf } from "../../helpers/outcome-table.js";
import { QueueScene, redisTest as test } from "../../helpers/queue-scene.js";
import { shortenStoreRetries } from "../../helpers/short-times.js";

shortenStoreRetries();

const ofAnother = { version: 2, step: "accepted", jobId: "job_of_another", at: 1, polls: 0 } as const;

/** The queue of a scene, which stores as a row says. Where that is not at all, another worker has stored something. */
function queueOf(scene: QueueScene, jobId: string, { saves }: Situation) {
  return scene.queueThrough((redis) =>
    scene.aroundWrites(redis, async (next, write) => {
      const written = await saves(next as SetState | undefined, write);
      if (written !== false) return written;
      const job = await scene.stored(jobId);
      await job.updateData({ ...job.data, state: ofAnother });
      return write();
    }),
  );
}

function inWords(error: unknown): string {
  if (error instanceof DelayedError) return "delays";
  if (error instanceof RateLimitError) return "stops";
  return error instanceof UnrecoverableError ? `ends${inShort(error.cause)}` : `throws${inShort(error)}`;
}

test.each(rowsOf("queue"))("$title → $queue", async (row) => {
  const situation = await situationOf(row);
  const { mock, client, params, state, does } = situation;
  const scene = new QueueScene(mock);
  const { job, step } = await scene.taken({ params, ...(state && { state }), note: "mine" });
  const told = await step({ client, queue: queueOf(scene, job.id as string, situation) }).then(
    ({ id }) => `returns ${id}`,
    inWords,
  );
  expect(told).toBe(row.queue);
  const { data } = await scene.stored(job.id);
  if (row.save.endsWith("false") && row.save !== "ended: false") expect(data.state).toEqual(ofAnother);
  if (row.save !== "") return;

  // The end of a set is that of its job.
  const stored = row.does.split(", ").filter((deed) => deed !== "ended");
  expect(does.join(", ")).toBe(stored.join(", "));
  const last = stored.findLast((deed) => /^[a-z]/.test(deed));
  expect(data).toEqual({ params, note: "mine", ...(data.state && { state: expect.anything() }) });
  expect(data.state?.step ?? "new").toBe(last ?? state?.step ?? "new");
});
