import fc from "fast-check";
import { CreateInterruptedError } from "screenshot-sets";
import { type SetState, stepSet } from "screenshot-sets/durable";
import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { draws } from "../helpers/draws.js";
import { StoredSet } from "../helpers/stored-set.js";

/** Where the process of a delivery dies. */
const deaths = ["before the record", "with the record", "with the request", "with the answer"] as const;

const delivery = fc.record({
  /** When the queue delivers the set. */
  atMs: fc.integer({ min: 0, max: 150_000 }),
  /** How long the store takes. */
  saveMs: fc.integer({ min: 0, max: 30_000 }),
  /** How long the service takes to answer a create. */
  answerMs: fc.integer({ min: 0, max: 59_000 }),
  dies: fc.option(fc.constantFrom(...deaths), { nil: undefined, freq: 3 }),
});
type Delivery = typeof delivery extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** When the record was saved that a set has now, on the clock of its mock. */
const recordedAt = new WeakMap<StoredSet, number>();

/** How deliveries ended, and how often one waited for another. Draws in which one of these hardly happens prove little. */
const tally = { succeeded: 0, told: 0, waited: 0 };

/** How long a record counts as young, with a client's usual time-out. */
const youngMs = 180_000;

const never = new Promise<never>(() => {});
const taken = new Error("Another delivery has stored a state since.");

/** Saves over the state that the set has now, and rejects where another delivery has saved one since. */
function saver(set: StoredSet, { saveMs, dies }: Delivery) {
  let known = JSON.stringify(set.state);
  return async (next: SetState | undefined) => {
    const isRecord = next?.step === "sending";
    if (dies === (isRecord ? "before the record" : "with the answer")) await never;
    const at = set.mock.clock.now();
    await set.mock.clock.sleep(saveMs);
    if (JSON.stringify(set.state) !== known) throw taken;
    await set.save(next);
    known = JSON.stringify(set.state);
    if (isRecord) recordedAt.set(set, at);
    if (isRecord && dies === "with the record") await never;
  };
}

/** Delivers a set until it has ended, as a queue does; returns "succeeded", or how old the record was when it was given up. */
async function deliver(set: StoredSet, delivery: Delivery) {
  const { atMs, answerMs, dies } = delivery;
  const { clock, fetch } = set.mock;
  const { baseUrl, apiKey } = set.mock.clientOptions;
  const slow: typeof fetch = async (...request) => {
    const isCreate = request[1]?.method === "POST";
    if (isCreate && dies === "with the request") await never;
    if (isCreate) await clock.sleep(answerMs);
    return fetch(...request);
  };
  const client = set.client.withOptions({ baseUrl, apiKey, fetch: slow });
  await clock.sleep(atMs);
  for (;;) {
    try {
      const result = await stepSet(client, { params: set.params, state: set.state }, saver(set, delivery));
      if (result.status === "succeeded") return "succeeded";
      if (result.state?.step === "sending") tally.waited++;
      await clock.sleep(result.delayMs);
    } catch (error) {
      if (error !== taken && (error as Error).cause !== taken) return ageTold(error, set);
      await clock.sleep(1_000);
    }
  }
}

/** How old the record is by now of a set that may have been charged. */
function ageTold(error: unknown, set: StoredSet): number {
  expect(error).toBeInstanceOf(CreateInterruptedError);
  expect(error).toMatchObject({ charged: "maybe" });
  return set.mock.clock.now() - (recordedAt.get(set) ?? Number.NaN);
}

test("a set that is delivered again at any moment is charged once, and ends by its job unless its create died", async () => {
  const runs = fc.asyncProperty(fc.array(delivery, { minLength: 2, maxLength: 4 }), async (drawn) => {
    const set = await StoredSet.of(createMock({ lifecycle: { queued: 5_000, running: 20_000, unit: "ms" } }));
    // The queue delivers once more what a dead process held.
    const deliveries = [...drawn, { atMs: 200_000, saveMs: 0, answerMs: 0, dies: undefined }];
    const alive = deliveries.filter(({ dies }) => dies === undefined);
    for (const one of deliveries) if (one.dies) void deliver(set, one);
    const ends = await Promise.all(alive.map((one) => deliver(set, one)));
    expect(set.mock.credits.ledger().length).toBeLessThanOrEqual(1);
    if (alive.length === deliveries.length) expect(new Set(ends)).toEqual(new Set(["succeeded"]));
    for (const end of ends) {
      if (end === "succeeded") tally.succeeded++;
      else tally.told++;
      // Each client reads the time of day once, so theirs differ by moments.
      if (end !== "succeeded") expect(end).toBeGreaterThan(youngMs - 1_000);
    }
  });
  await fc.assert(runs, { numRuns: draws(1_000) });
  expect(Math.min(...Object.values(tally)), JSON.stringify(tally)).toBeGreaterThan(50);
});
