import { setTimeout } from "node:timers/promises";
import type { ScreenshotSets } from "screenshot-sets";
import type { SetState } from "screenshot-sets/durable";
import { createMock } from "screenshot-sets/mock";
import { expect, test, vi } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { SetScene } from "../helpers/set-scene.js";

test.each<[ageMs: number, timeoutMs: number, isYoung: boolean]>([
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
  "a record that is %d ms old, with a time-out of %d ms, is young: %s",
  async (ageMs, timeoutMs, isYoung) => {
    const set = await SetScene.of();
    const state = { version: 2, step: "sending", at: Date.now() - ageMs, mark: "a mark" };
    set.state = state;
    const result = await set.step({ client: set.client.withOptions({ timeoutMs }) });
    expect(result).toMatchObject({ status: isYoung ? "waiting" : "uncertain", state });
    if (isYoung) expect(result.delayMs).toBeLessThanOrEqual(5_000);
    expect(result.delayMs).not.toBe(0);
  },
);

test("a step that finds a record that is young for a moment more waits no longer than that", async () => {
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

test.each(Object.keys(clocks))(
  "a create whose record is more than a minute old by %s alone is taken back",
  async (name) => {
    for (const ms of [59_000, 61_000]) {
      const set = await SetScene.of();
      const { client, jump } = (clocks[name] as (typeof clocks)[string])(set);
      const store = set.storeThrough((next, stores) => {
        if (next?.step === "sending") jump(ms);
        return stores();
      });
      const isOld = ms > 60_000;
      const { error, state } = await set.step({ client, store });
      expect([error, state]).toEqual([undefined, isOld ? undefined : expect.anything()]);
      expect([set.saved, set.creates]).toEqual([["sending", isOld ? "new" : "accepted"], isOld ? 0 : 1]);
      vi.restoreAllMocks();
    }
  },
);

test.each(Object.keys(clocks))(
  "a create is not sent a second time, with a rotated key, once its record is that old by %s",
  async (name) => {
    for (const ms of [59_000, 61_000]) {
      const set = await SetScene.of();
      const { client, jump } = (clocks[name] as (typeof clocks)[string])(set);
      const key = set.mock.keys.create();
      let keys = 0;
      const apiKey = () => {
        if (++keys === 1) return "sk_revoked";
        jump(ms);
        return key;
      };
      const { error } = await set.step({ client: client.withOptions({ apiKey }) });
      const isOld = ms > 60_000;
      expect(error).toBeUndefined();
      expect([set.saved, set.creates]).toEqual([["sending", isOld ? "new" : "accepted"], isOld ? 1 : 2]);
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

/** A client whose requests may take any time. */
const clientThrough = ({ client }: SetScene, fetch: typeof globalThis.fetch) =>
  client.withOptions({ fetch, clock: { now: () => 0, sleep: () => new Promise<never>(() => {}) } });

test("a second delivery during a create waits, and the set then ends by its one job", async () => {
  const set = await SetScene.of();
  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { fetch } = set.mock;
  const slow = clientThrough(set, (...request) => isAnswered.then(() => fetch(...request)));
  const first = set.step({ client: slow });
  await vi.waitFor(() => expect(set.saved).toHaveLength(1));
  expect(await set.step()).toMatchObject({ status: "waiting", state: { step: "sending" } });
  answer();
  expect(await first).toMatchObject({ status: "waiting", state: { step: "accepted" } });
  expect(await set.step()).toMatchObject({ status: "succeeded" });
  expect(set.creates).toBe(1);
});

const reason = new Error("enough");

/** Where a step is aborted, and what it has saved by its end. */
const aborts: [when: string, saved: string[], given: (set: SetScene, stop: () => void) => object][] = [
  [
    "before it",
    [],
    (_, stop) => {
      stop();
      return {};
    },
  ],
  [
    "while its key is asked for",
    [],
    ({ client }, stop) => {
      const apiKey = () => {
        stop();
        return new Promise<string>(() => {});
      };
      return { client: client.withOptions({ apiKey }) };
    },
  ],
  [
    "when its create has been recorded",
    ["sending", "new"],
    (set, stop) => {
      const store = set.storeThrough((_, stores) => {
        stop();
        return stores();
      });
      return { store };
    },
  ],
];

test.each(aborts)("a step that is aborted %s sends nothing, and rejects with the reason", async (...row) => {
  const [, saved, given] = row;
  const set = await SetScene.of();
  const stop = new AbortController();
  const prepared = given(set, () => stop.abort(reason));
  expect(await rejection(set.step({ ...prepared, options: { signal: stop.signal } }))).toBe(reason);
  expect([set.creates, set.saved]).toEqual([0, saved]);
});

test("an abort ends a pause after a 429, and nothing is sent after it", async () => {
  const set = await SetScene.of();
  const { client, mock } = set;
  mock.fault({ status: 429, retryAfter: 50 }, { operation: "createScreenshots" });
  await set.step({ client });
  const stop = new AbortController();
  const step = rejection(set.step({ client, options: { signal: stop.signal } }));
  const abortedAt = mock.clock.now();
  stop.abort(reason);
  expect(await step).toBe(reason);
  expect([set.creates, mock.clock.now()]).toEqual([1, abortedAt]);
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
