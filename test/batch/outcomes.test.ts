import { runBatch, type SetOutcome } from "screenshot-sets/batch";
import { memoryStore, type StoredSet } from "screenshot-sets/durable";
import { expect, test } from "vitest";
import { untilOver } from "../helpers/batch-scene.js";
import { rowsOf, situationOf, waitingFor } from "../helpers/outcome-table.js";

/** What the store has of a set that ended so. */
const stands: Record<string, string | undefined> = {
  succeeded: "ended",
  "failed yes": "ended",
  uncertain: "uncertain",
  waiting: "accepted",
};

function inWords({ status, reason, charged, jobId, error }: SetOutcome): string {
  const more = reason ?? (status === "failed" ? charged : "");
  const job = jobId ? `, ${jobId}` : "";
  return `${status} ${more}`.trim() + job + (status === "waiting" ? waitingFor(error) : "");
}

test.each(rowsOf("batch"))("$title → $batch", async (row) => {
  const { mock, client, params, state, does, saves } = await situationOf(row);
  const memory = memoryStore();
  const { baseUrl } = mock.clientOptions;
  if (state) memory.save("a", { version: 2, baseUrl, params, state }, undefined);
  const save = (key: string, next: unknown, previous: unknown) => {
    const store = () => memory.save(key, next, previous);
    return key === "a" ? saves((next as StoredSet | null)?.state, store) : store();
  };
  const sets = { a: params, b: { ...params, count: 5 } };
  const options = { sets, store: { ...memory, save }, concurrency: 1, timeoutMs: 60_000 };
  const { outcomes, error } = await untilOver(runBatch(client, options));
  if (row.batch === "refused") {
    expect([outcomes, does]).toEqual([[], []]);
    expect(error).toMatchObject({ name: "ConfigurationError" });
    return;
  }

  const [told = "", others] = row.batch.split("; ");
  const first = outcomes.find(({ key }) => key === "a") as SetOutcome;
  const other = outcomes.find(({ key }) => key === "b") as SetOutcome;
  expect([inWords(first), error !== undefined]).toEqual([told, others === "ends"]);
  const ofOther = others === "ends" ? "skipped aborted" : others === "both" ? told : "succeeded";
  expect(inWords(other)).toContain(ofOther);
  const stored = memory.load("a") as StoredSet | null;
  const before = row.found.startsWith("sending") ? "sending" : undefined;
  if (row.save === "") expect(stored?.state?.step).toBe(before ?? stands[told.replace(/[,:].*/, "")]);
});
