import { setTimeout } from "node:timers/promises";
import { CreateInterruptedError, type ScreenshotSets } from "screenshot-sets";
import type { SetState } from "screenshot-sets/durable";
import { createMock } from "screenshot-sets/mock";
import { expect, test, vi } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { SetScene } from "../helpers/set-scene.js";

test.each<[ageMs: number, timeoutMs: number, isInFlight: boolean]>([
  [0, 60_000, true],
  [179_000, 60_000, true],
  [181_000, 60_000, false],
  // The clock of whoever wrote it is ahead.
  [-179_000, 60_000, true],
  [-181_000, 60_000, false],
  // A create may take as long as its client lets it, but nobody waits for hours.
  [119_000, 1_000, true],
  [124_000, 1_000, false],
  [719_000, 3_600_000, true],
  [721_000, Number.POSITIVE_INFINITY, false],
])(
  "the create of a record that is %d ms old, with a time-out of %d ms, counts as in flight: %s",
  async (ageMs, timeoutMs, isInFlight) => {
    const set = await SetScene.of();
    const state = { version: 2, step: "sending", at: Date.now() - ageMs, mark: "a mark" };
    set.state = state;
    const result = await set.step({ client: set.client.withOptions({ timeoutMs }) });
    expect(result).toMatchObject({ status: isInFlight ? "waiting" : "uncertain", state });
    if (isInFlight) expect(result.delayMs).toBeLessThanOrEqual(5_000);
    expect(result.delayMs).not.toBe(0);
  },
);

test("a step that finds a create that counts as in flight for a moment more waits no longer than that", async () => {
  const set = await SetScene.of();
  set.state = { version: 2, step: "sending", at: Date.now() - 179_000, mark: "a mark" };
  expect((await set.step()).delayMs).toBeLessThanOrEqual(1_000);
});

/** Each of the clocks by which a record gets older, and how it jumps alone. */
const clocks: Record<string, (set: SetScene) => { client: ScreenshotSets; jump(ms: number): void }> = {
  "the client's clock"({ client, mock: { clock } }) {
    let leadMs = 0;
    const now = () => clock.now() + leadMs;
    const jumping = client.withOptions({ clock: { now, sleep: clock.sleep } });
    const jump = (ms: number) => {
      leadMs = ms;
    };
    return { client: jumping, jump };
  },
  "`Date.now()`": ({ client }) => ({ client, jump: jumper(Date) }),
  "`performance.now()`": ({ client }) => ({ client, jump: jumper(performance) }),
};

function jumper(clock: { now(): number }) {
  const now = clock.now.bind(clock);
  return (ms: number) => void vi.spyOn(clock, "now").mockImplementation(() => now() + ms);
}

const jumps = Object.keys(clocks).flatMap((clock) =>
  ["it is saved", "its key is rotated"].map((meanwhile) => ({ clock, meanwhile })),
);

test.each(jumps)(
  "a create whose record gets older than a minute by $clock alone while $meanwhile is not sent, and its record is removed",
  async ({ clock, meanwhile }) => {
    for (const ms of [59_000, 61_000]) {
      const set = await SetScene.of();
      const { client, jump } = (clocks[clock] as (typeof clocks)[string])(set);
      const isRotated = meanwhile === "its key is rotated";
      const keys = isRotated ? ["sk_revoked"] : [];
      const apiKey = () => {
        const key = keys.pop();
        if (isRotated && !key) jump(ms);
        return key ?? set.mock.clientOptions.apiKey;
      };
      const store = set.storeThrough((next, stores) => {
        if (next?.step === "sending" && !isRotated) jump(ms);
        return stores();
      });
      const { status, error } = await set.step({ client: client.withOptions({ apiKey }), store });
      expect([status, error]).toEqual(["waiting", undefined]);
      const isSent = ms < 60_000;
      expect(set.saved).toEqual(["sending", isSent ? "accepted" : "new"]);
      expect(set.creates).toBe(Number(isRotated) + Number(isSent));
      vi.restoreAllMocks();
    }
  },
);

test("the key is asked for before a create is recorded", async () => {
  const set = await SetScene.of();
  const savedBefore: number[] = [];
  const apiKey = async () => {
    savedBefore.push(set.saved.length);
    await setTimeout(0);
    return set.mock.clientOptions.apiKey;
  };
  await set.step({ client: set.client.withOptions({ apiKey }) });
  expect(savedBefore).toEqual([0]);
});

test("a create is recorded only when the client's pause after a 429 is over", async () => {
  const set = await SetScene.of();
  const { client, mock } = set;
  mock.fault({ status: 429, retryAfter: 30 }, { operation: "createScreenshots" });
  const recordedAt: number[] = [];
  const refusedAt = mock.clock.now();
  const store = set.storeThrough((_, stores) => {
    recordedAt.push(mock.clock.now() - refusedAt);
    return stores();
  });
  for (let steps = 0; steps < 2; steps++) await set.step({ client, store });
  expect(set.saved).toEqual(["sending", "new", "sending", "accepted"]);
  expect(recordedAt).toEqual([0, 0, 30_000, 30_000]);
});

test("two steps never write the same record", async () => {
  vi.spyOn(Date, "now").mockReturnValue(1_800_000_000_000);
  const records: (SetState | undefined)[] = [];
  for (let steps = 0; steps < 2; steps++) {
    const set = await SetScene.of();
    const store = set.storeThrough((next, stores) => {
      if (next?.step === "sending") records.push(next);
      return stores();
    });
    await set.step({ store });
  }
  const [one, other] = records;
  expect(one).toMatchObject({ step: "sending", at: other?.at });
  expect(one).not.toEqual(other);
});

/** It may be an error of ours, with which another call failed. */
const reason = new CreateInterruptedError("enough", { charged: "maybe" });

test.each([
  ["before it", [], 0],
  ["while its key is asked for", [], 1],
  ["when its create has been recorded", ["sending", "new"], 1],
])("a step that is aborted %s sends nothing, and rejects with the reason", async (when, saved, loads) => {
  const set = await SetScene.of();
  const stop = new AbortController();
  const comes = (moment: string) => {
    if (moment === when) stop.abort(reason);
    return moment === when;
  };
  comes("before it");
  const { apiKey } = set.mock.clientOptions;
  const never = new Promise<string>(() => {});
  const client = set.client.withOptions({
    apiKey: () => (comes("while its key is asked for") ? never : apiKey),
  });
  const store = set.storeThrough((_, stores) => {
    comes("when its create has been recorded");
    return stores();
  });
  const load = vi.spyOn(store, "load");
  expect(await rejection(set.step({ client, store, options: { signal: stop.signal } }))).toBe(reason);
  expect([load.mock.calls.length, set.creates, set.saved]).toEqual([loads, 0, saved]);
});

test("a create that is in flight at an abort ends and is saved; a look ends at once, and saves nothing", async () => {
  const set = await SetScene.of(createMock({ lifecycle: "manual" }));
  for (const operation of ["createScreenshots", "getJob"] as const) {
    const { mock } = set;
    mock.fault({ latencyMs: 50_000 }, { operation });
    const stop = new AbortController();
    const step = set.step({ options: { signal: stop.signal } }).catch((error) => error);
    await mock.clock.sleep(1_000);
    const abortedAt = mock.clock.now();
    stop.abort(reason);
    const isLook = operation === "getJob";
    expect(await step).toEqual(isLook ? reason : expect.objectContaining({ jobId: "job_1" }));
    expect(mock.clock.now() - abortedAt).toBe(isLook ? 0 : 49_000);
  }
  expect(set.saved).toEqual(["sending", "accepted"]);
});
