import type { JobStatus } from "screenshot-sets";
import { createMock, type Guess, type JournalEntry, type LedgerRow } from "screenshot-sets/mock";
import { expectTypeOf, test } from "vitest";

test("types what it shows", () => {
  const mock = createMock();

  expectTypeOf(mock.jobs.get("job_1").status).toEqualTypeOf<JobStatus>();
  expectTypeOf(mock.credits.ledger()).toEqualTypeOf<LedgerRow[]>();
  expectTypeOf(mock.requests({ operation: "getJob" })).toEqualTypeOf<JournalEntry[]>();
  expectTypeOf<JournalEntry["guesses"]>().toEqualTypeOf<Guess[]>();
  expectTypeOf(mock.fetch).toEqualTypeOf<typeof globalThis.fetch>();
  expectTypeOf(mock.clock.advance(1)).toEqualTypeOf<Promise<void>>();
  expectTypeOf<"status.notFound" | "slide">().toExtend<Guess>();
});

test("takes a recording as TypeScript types the JSON of a file", () => {
  const ofFile = {
    version: 1,
    refusals: { getJob: { notFound: { status: 404, body: { detail: "none" } }, wrongKey: { status: 401 } } },
    set: { cost: 12, states: ["queued", "succeeded"], slides: [{ headline: "one" }, { theme: "dark" }] },
  };

  createMock({ recorded: ofFile });
  // @ts-expect-error an unknown reason
  createMock({ recorded: { version: 1, refusals: { getJob: { unknownJob: { status: 404 } } } } });
});

test("holds options to what they may be", () => {
  const mock = createMock({ lifecycle: { queued: 1, running: 2, unit: "ms" }, clock: "system" });

  // @ts-expect-error an unknown unit
  createMock({ lifecycle: { queued: 1, running: 2, unit: "hours" } });
  // @ts-expect-error an unknown operation
  mock.requests({ operation: "noSuchOperation" });
  // @ts-expect-error a plan without an outcome
  mock.nextJob({});
  // @ts-expect-error an unknown fault
  mock.fault("explosion");
  // @ts-expect-error remaining is set through `set`
  mock.credits.remaining = 1;
  mock.fault({ status: 429, retryAfter: 1 }, { operation: "createApp", times: 2, skip: 1, when: "after" });
});
