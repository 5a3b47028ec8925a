import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { ScreenshotSetsError } from "screenshot-sets";
import type { SetState } from "screenshot-sets/durable";
import type { Fault } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { draws } from "../helpers/draws.js";
import { StoredSet } from "../helpers/stored-set.js";

/** A service or a proxy that refuses has taken nothing. */
const refusals = fc.record({
  fault: fc.constantFrom<Fault>(...[400, 401, 402, 404, 429].map((status) => ({ status })), {
    status: 429,
    retryAfter: 3,
  }),
  when: fc.constant("before" as const),
});
const losses = fc.record({
  fault: fc.constantFrom<Fault>(
    ...(["reset", "malformed", "truncated"] as const),
    ...[408, 500, 503].map((status) => ({ status })),
    { status: 201, body: {} },
  ),
  when: fc.constantFrom("before" as const, "after" as const),
});

const turn = fc.record({
  /** Where the process dies in a step, or its store fails. */
  accident: fc.option(
    fc.constantFrom("dies before the record", "dies after the record", "dies with the answer", "full"),
    { nil: undefined, freq: 2 },
  ),
  fault: fc.option(fc.oneof(refusals, losses), { nil: undefined, freq: 2 }),
  /** When the next step comes: while a record is young, or later. */
  afterMs: fc.constantFrom(500, 500, 200_000),
  /** How far the clock of the next machine is off. */
  skewMs: fc.constantFrom(0, 0, -3_600_000, 3_600_000),
});
type Turn = typeof turn extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** Saves as the accident of this turn lets it. */
function saveOf(set: StoredSet, accident: Turn["accident"]) {
  return async (state: SetState | undefined) => {
    const isRecord = state?.step === "sending";
    const dies = accident === (isRecord ? "dies before the record" : "dies with the answer");
    if (accident === "full" || dies) throw new Error(accident);
    await set.save(state);
    if (accident === "dies after the record" && isRecord) throw new Error(accident);
  };
}

/** Takes a step, and tells what was stored and charged before it and after it. */
async function take(set: StoredSet, { accident, fault, afterMs, skewMs }: Turn) {
  const { mock } = set;
  await mock.clock.advance(afterMs);
  if (set.state) set.state = { ...set.state, at: set.state.at + skewMs };
  const facts = () => ({ state: set.state, charges: mock.credits.ledger().length });
  const before = facts();
  const requests = mock.requests().length;
  const operation = before.state ? "getJob" : "createScreenshots";
  if (fault) mock.fault(fault.fault, { when: fault.when, operation });
  const step = set.step({ save: saveOf(set, accident), options: { timeoutMs: Number.POSITIVE_INFINITY } });
  const ended = await step.then(
    (value) => ({ value, error: undefined }),
    (error: unknown) => ({ value: undefined, error }),
  );
  return { ...ended, requests: mock.requests().length - requests, before, after: facts() };
}
type Taken = Awaited<ReturnType<typeof take>>;

const chargedBy = (error: unknown) => (error instanceof ScreenshotSetsError ? error.charged : undefined);

/** What must hold of every step. */
const rules: Record<string, (taken: Taken) => boolean> = {
  "sends one request at most": ({ requests }) => requests <= 1,
  "charges once at most": ({ after }) => after.charges <= 1,
  "charges only a new set": ({ before, after }) => after.charges === before.charges || !before.state,
  "succeeds only with what was charged": ({ value, after }) =>
    value?.status !== "succeeded" || after.charges === 1,
  "sends no create when it fails with an error of the store": ({ error, requests, before }) =>
    error === undefined ||
    error instanceof ScreenshotSetsError ||
    requests === 0 ||
    before.state?.step === "accepted",
  "sends and changes nothing where it finds a record": ({ requests, before, after }) =>
    before.state?.step !== "sending" || (requests === 0 && isDeepStrictEqual(after, before)),
  "was not charged where it says so": ({ error, after }) => chargedBy(error) !== "no" || after.charges === 0,
  "was charged for the job it names": ({ error, after }) =>
    chargedBy(error) !== "yes" || (after.charges === 1 && (error as ScreenshotSetsError).jobId === "job_1"),
  "leaves a record where nobody knows": ({ error, after }) =>
    chargedBy(error) !== "maybe" || after.state?.step === "sending",
  "is new again only where nothing was charged": ({ after }) =>
    after.state !== undefined || after.charges === 0,
};

test("whatever fails and dies, a set is charged at most once, and no error lies about it", async () => {
  const tally = { succeeded: 0, no: 0, maybe: 0, yes: 0 };
  const runs = fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 12 }), async (turns) => {
    const set = await StoredSet.of();
    for (const turn of turns) {
      const taken = await take(set, turn);
      const broken = Object.keys(rules).filter((rule) => !rules[rule]?.(taken));
      expect({ broken, taken }).toEqual({ broken: [], taken });
      if (taken.value?.status === "succeeded") tally.succeeded++;
      const charged = chargedBy(taken.error);
      if (charged) tally[charged]++;
    }
  });
  await fc.assert(runs, { numRuns: draws(1_200) });
  // Sequences in which one of these hardly happens prove little.
  expect(Math.min(...Object.values(tally)), JSON.stringify(tally)).toBeGreaterThan(20);
});
