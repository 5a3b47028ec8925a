import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { ScreenshotSetsError } from "screenshot-sets";
import { createMock, type Fault } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { draws } from "../helpers/draws.js";
import { SetScene } from "../helpers/set-scene.js";

/** A service or a proxy that refuses has taken nothing. */
const refusals = fc.record({
  fault: fc.constantFrom<Fault>({ status: 422 }, { status: 402 }, { status: 429, retryAfter: 3 }),
  when: fc.constant("before" as const),
});
const losses = fc.record({
  fault: fc.constantFrom<Fault>(
    "reset",
    "malformed",
    "truncated",
    { status: 503 },
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
  /** When the next step comes: while a create counts as in flight, or later. */
  afterMs: fc.constantFrom(500, 500, 200_000),
  /** How far the clock of the next machine is off. */
  skewMs: fc.constantFrom(0, 0, -3_600_000, 3_600_000),
});
type Turn = typeof turn extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** The store as the accident of this turn lets it be: who has died saves nothing any more. */
function storeOf(set: SetScene, accident: Turn["accident"]) {
  let isDead = accident === "full";
  const die = () => {
    isDead = true;
    throw new Error(accident);
  };
  return set.storeThrough((next, stores) => {
    const isRecord = next?.step === "sending";
    if (isDead || accident === (isRecord ? "dies before the record" : "dies with the answer")) die();
    const isStored = stores();
    return isRecord && accident === "dies after the record" ? die() : isStored;
  });
}

/** Takes a step, and tells what was stored and charged before it and after it. */
async function take(set: SetScene, { accident, fault, afterMs, skewMs }: Turn) {
  const { mock } = set;
  await mock.clock.advance(afterMs);
  if (set.state && skewMs !== 0) set.state = { ...set.state, at: set.state.at + skewMs };
  const facts = () => ({ state: set.state, charges: mock.credits.ledger().length });
  const before = facts();
  const requests = mock.requests().length;
  const operation = before.state ? "getJob" : "createScreenshots";
  if (fault) mock.fault(fault.fault, { when: fault.when, operation });
  const step = set.step({ store: storeOf(set, accident), options: { timeoutMs: Number.POSITIVE_INFINITY } });
  const ended = await step.then(
    (value) => ({ value, error: value.error, status: value.status }),
    (error: unknown) => ({ value: undefined, error, status: "rejected" }),
  );
  return { ...ended, requests: mock.requests().length - requests, before, after: facts() };
}
type Taken = Awaited<ReturnType<typeof take>>;

const chargedBy = (error: unknown) => (error instanceof ScreenshotSetsError ? error.charged : undefined);
const isOver = ({ before: { state } }: Taken) => state !== undefined && state.step !== "accepted";

/** What must hold of every step. */
const rules: Record<string, (taken: Taken) => boolean> = {
  "sends one request at most": ({ requests }) => requests <= 1,
  "charges once at most": ({ after }) => after.charges <= 1,
  "charges only a new set": ({ before, after }) => after.charges === before.charges || !before.state,
  "succeeds only with what was charged": ({ status, after }) => status !== "succeeded" || after.charges === 1,
  "rejects with what is not ours only where nothing was charged by it": ({ status, error, before, after }) =>
    status !== "rejected" || error instanceof ScreenshotSetsError || after.charges === before.charges,
  "sends and changes nothing where it finds a create that was sent, or an end": (taken) =>
    !isOver(taken) || (taken.requests === 0 && isDeepStrictEqual(taken.after, taken.before)),
  "was not charged where it says so": ({ error, after }) => chargedBy(error) !== "no" || after.charges === 0,
  "was charged for the job it names": ({ error, after }) =>
    chargedBy(error) !== "yes" || (after.charges === 1 && (error as ScreenshotSetsError).jobId === "job_1"),
  "is uncertain only where a record says so": ({ status, after }) =>
    status !== "uncertain" || ["sending", "uncertain"].includes(after.state?.step as string),
  "is new again only where nothing was charged": ({ after }) =>
    after.state !== undefined || after.charges === 0,
};

test("whatever fails and dies, a set is charged at most once, and no result lies about it", async () => {
  const tally = { succeeded: 0, failed: 0, uncertain: 0, waiting: 0, rejected: 0 };
  const runs = fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 12 }), async (turns) => {
    const set = await SetScene.of(createMock());
    if (turns.length % 3 === 0) set.mock.nextJob({ outcome: "failed" });
    for (const turn of turns) {
      const taken = await take(set, turn);
      const broken = Object.keys(rules).filter((rule) => !rules[rule]?.(taken));
      expect({ broken, taken }).toEqual({ broken: [], taken });
      tally[taken.status as keyof typeof tally]++;
    }
  });
  const numRuns = draws(1_200);
  await fc.assert(runs, { numRuns });
  // Sequences in which one of these hardly happens prove little.
  expect(Math.min(...Object.values(tally)), JSON.stringify(tally)).toBeGreaterThan(numRuns / 60);
});
