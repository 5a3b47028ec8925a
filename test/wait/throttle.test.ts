import { expect, test } from "vitest";
import { Throttle } from "../../src/wait/throttle.js";

const places = 64;

/** One that was refused at 1000, for a poll that was sent at 900. */
function refusedAt1000(retryAfterMs?: number) {
  const throttle = new Throttle<string>(places);
  expect(throttle.refused("first", 900, 1000, retryAfterMs)).toBe(retryAfterMs ?? 500);
  expect(throttle.limit).toBe(places / 2);
  return throttle;
}

test("refusals that name no time halve what may be in flight and double the pause, down to one at a time", () => {
  const throttle = new Throttle<string>(places);
  const steps = Array.from({ length: 8 }, (_, index) => {
    const now = 1_000_000 * (index + 1);
    return [throttle.refused("any", now - 1, now, undefined), throttle.limit];
  });
  expect(steps).toEqual([
    [500, 32],
    [1000, 16],
    [2000, 8],
    [4000, 4],
    [8000, 2],
    [16_000, 1],
    [16_000, 1],
    [16_000, 1],
  ]);
});

test.each([1, 2, 256])("the pause doubles as well where at most %d polls are in flight", (most) => {
  const throttle = new Throttle<string>(most);
  const pauses = [1, 2, 3, 4, 5, 6, 7].map((time) =>
    throttle.refused("any", 1_000_000 * time - 1, 1_000_000 * time, undefined),
  );
  expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 16_000]);
});

test("the pause does not double where polls were accepted since the last refusal, but becomes shorter", () => {
  const throttle = new Throttle<string>(1);
  let now = 0;
  const refuse = () => {
    now += 100_000;
    return throttle.refused("any", now - 1, now, undefined);
  };
  expect([refuse(), refuse(), refuse(), refuse()]).toEqual([500, 1000, 2000, 4000]);
  const pauses = [1, 2, 3, 4].map(() => {
    throttle.accepted(now + 99_998);
    return refuse();
  });
  expect(pauses).toEqual([2000, 1000, 500, 500]);
});

test("with many polls in flight, each good answer shortens the pause by little", () => {
  const throttle = new Throttle<string>(places);
  for (const time of [1, 2, 3, 4]) throttle.refused("any", 100_000 * time - 1, 100_000 * time, undefined);
  throttle.accepted(450_000);
  expect(throttle.refused("any", 499_999, 500_000, undefined)).toBeCloseTo(4000 / (1 + 1 / 16));
});

test.each([950, 1000])(
  "a refusal of a poll that was sent at %d, before the first one came, changes nothing",
  (at) => {
    const throttle = refusedAt1000();
    expect(throttle.refused("second", at, 1050, undefined)).toBeUndefined();
    expect(throttle).toMatchObject({ limit: 32, pausedUntil: 1500, probe: "first" });
  },
);

test("of polls that were refused together, the one with the latest time to come back counts", () => {
  const throttle = refusedAt1000();
  expect(throttle.refused("second", 950, 1050, 100)).toBeUndefined();
  expect(throttle).toMatchObject({ pausedUntil: 1500, probe: "first" });
  expect(throttle.refused("third", 950, 1050, 450)).toBeUndefined();
  expect(throttle.refused("fourth", 950, 1050, 451)).toBe(451);
  expect(throttle).toMatchObject({ limit: 32, pausedUntil: 1501, probe: undefined });
});

test("nobody polls on alone where the service says when it takes polls again", () => {
  expect(refusedAt1000(700)).toMatchObject({ pausedUntil: 1700, probe: undefined });
  expect(refusedAt1000()).toMatchObject({ pausedUntil: 1500, probe: "first" });
});

test.each([950, 1000])(
  "a good answer to a poll that was sent at %d, before the refusal, ends nothing",
  (at) => {
    const throttle = refusedAt1000();
    for (let answers = 0; answers < 100; answers++) throttle.accepted(at);
    expect(throttle).toMatchObject({ limit: 32, pausedUntil: 1500, probe: "first" });
  },
);

test("a good answer to a poll that was sent after the refusal ends the pause of all", () => {
  const throttle = refusedAt1000();
  throttle.accepted(1001);
  expect(throttle).toMatchObject({ pausedUntil: Number.NEGATIVE_INFINITY, probe: undefined });
});

test("a good answer ends no pause that the service asked for", () => {
  const throttle = refusedAt1000(700);
  throttle.accepted(1001);
  expect(throttle).toMatchObject({ pausedUntil: 1700, probe: undefined });
});

test("one that polls on alone and is refused again in the pause changes nothing, unless a time is named", () => {
  const throttle = refusedAt1000();
  expect(throttle.refused("first", 1499, 1600, undefined)).toBeUndefined();
  expect(throttle).toMatchObject({ limit: 32, pausedUntil: 1500, probe: "first" });
  expect(throttle.refused("first", 1499, 1600, 50)).toBe(50);
  expect(throttle).toMatchObject({ limit: 16, pausedUntil: 1650, probe: undefined });
});

test.each([
  ["another in the pause", "second", 1400],
  ["the one that polled on, at its end", "first", 1500],
])("a refusal of %s slows all down further", (_, poller, sentAt) => {
  const throttle = refusedAt1000();
  expect(throttle.refused(poller, sentAt, 1600, undefined)).toBe(1000);
  expect(throttle).toMatchObject({ limit: 16, pausedUntil: 2600, probe: poller });
});

test("a round of good answers lets about one more in, and no more than at first", () => {
  const throttle = refusedAt1000();
  for (let answers = 0; answers < 33; answers++) throttle.accepted(1001);
  expect(throttle.limit).toBe(33);
  for (let answers = 0; answers < 10_000; answers++) throttle.accepted(1001);
  expect(throttle.limit).toBe(places);
  // As far as it goes, and not further: what is halved is the limit.
  throttle.refused("any", 2000, 2001, undefined);
  expect(throttle.limit).toBe(places / 2);
});
