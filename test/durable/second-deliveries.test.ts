import fc from "fast-check";
import { createMock } from "screenshot-sets/mock";
import { expect, test, vi } from "vitest";
import { draws } from "../helpers/draws.js";
import { SetScene } from "../helpers/set-scene.js";

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
const recordedAt = new WeakMap<SetScene, number>();

/** How deliveries ended, and how often one waited for another. Draws in which one of these hardly happens prove little. */
const tally = { succeeded: 0, told: 0, waited: 0 };

/** How long a create counts as in flight, with a client's usual time-out. */
const inFlightMs = 180_000;

const never = new Promise<never>(() => {});

/** The store as it is for a delivery. What dies never comes back. */
function storeOf(set: SetScene, { saveMs, dies }: Delivery) {
  return set.storeThrough(async (next, stores) => {
    const isRecord = next?.step === "sending";
    const deadBefore = isRecord ? ["before the record"] : ["with the request", "with the answer"];
    if (dies && deadBefore.includes(dies)) await never;
    const at = set.mock.clock.now();
    await set.mock.clock.sleep(saveMs);
    const isStored = stores();
    if (isRecord && isStored) recordedAt.set(set, at);
    if (isRecord && dies === "with the record") await never;
    return isStored;
  });
}

/** Delivers a set until it has ended, as a queue does; returns "succeeded", or how old the record was when it was given up. */
async function deliver(set: SetScene, delivery: Delivery) {
  const { atMs, answerMs, dies } = delivery;
  const { clock, fetch } = set.mock;
  const slow: typeof fetch = async (...request) => {
    const isCreate = request[1]?.method === "POST";
    if (isCreate && dies === "with the request") await never;
    if (isCreate) await clock.sleep(answerMs);
    return fetch(...request);
  };
  // A clock of the user's own, since a mock's stands still while a record is saved.
  const client = set.client.withOptions({ fetch: slow, clock: { now: clock.now, sleep: clock.sleep } });
  await clock.sleep(atMs);
  for (;;) {
    const { status, state, error, delayMs } = await set.step({ client, store: storeOf(set, delivery) });
    if (status === "succeeded") return status;
    if (status !== "waiting") {
      expect([status, error?.name]).toEqual(["uncertain", "CreateInterruptedError"]);
      // How old the record is by now of a set that may have been charged.
      return set.mock.clock.now() - (recordedAt.get(set) ?? Number.NaN);
    }
    if (state?.step === "sending") tally.waited++;
    await clock.sleep(delayMs);
  }
}

test("a set that is delivered again at any moment is charged once, and ends by its job unless its create died", async () => {
  const runs = fc.asyncProperty(fc.array(delivery, { minLength: 2, maxLength: 4 }), async (drawn) => {
    const set = await SetScene.of(createMock({ lifecycle: { queued: 5_000, running: 20_000, unit: "ms" } }));
    vi.spyOn(Date, "now").mockImplementation(set.mock.clock.now);
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
      if (end !== "succeeded") expect(end).toBeGreaterThanOrEqual(inFlightMs);
    }
  });
  await fc.assert(runs, { numRuns: draws(1_000) });
  expect(Math.min(...Object.values(tally)), JSON.stringify(tally)).toBeGreaterThan(50);
});
