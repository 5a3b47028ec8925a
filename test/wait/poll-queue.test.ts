import { RateLimitError } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { createLog } from "../../src/secrets/log.js";
import { Timeline } from "../../src/time/timeline.js";
import { type Poller, PollQueue } from "../../src/wait/poll-queue.js";

const places = 64;

/** An empty queue, and pollers that note when they start. */
function emptyQueue(places: number) {
  const { clock } = createMock();
  const now = clock.now();
  const queue = new PollQueue(
    new Timeline(clock, () => {}),
    createLog(undefined, () => []),
    places,
  );
  const started: string[] = [];
  const poller = (name: string): Poller => ({
    dueAt: Number.POSITIVE_INFINITY,
    place: -1,
    start() {
      queue.begin(this, now);
      started.push(name);
    },
  });
  return { queue, now, poller, started };
}

/** A queue all of whose places are taken. */
function fullQueue() {
  const { queue, now, poller, started } = emptyQueue(places);
  const holders = Array.from({ length: places }, () => poller("holder"));
  for (const holder of holders) {
    queue.add(holder, now, false);
    queue.wake(now);
  }
  started.length = 0;
  /** Ends so many of the polls that take the places, and lets others follow. */
  const free = (places: number) => {
    for (let left = places; left > 0; left--) queue.end(holders.pop() as Poller, now, now, "unfinished");
    queue.wake(now);
    return started;
  };
  return { queue, now, poller, free };
}

test.each([
  [1, 1],
  [8, 8],
  [64, 8],
  [128, 24],
  [256, 56],
])("of polls that are due together, those with %i places start in portions of %i", (places, portion) => {
  const { queue, now, poller, started } = emptyQueue(places);
  for (let left = 1000; left > 0; left--) queue.add(poller("usual"), now, false);
  queue.wake(now);
  expect(started).toHaveLength(portion);
});

test("polls come in the order in which they are due, at the earliest time that was asked for", () => {
  const { queue, now, poller, free } = fullQueue();
  const [one, other, late] = [poller("one"), poller("other"), poller("late")];
  queue.add(one, now - 1, false);
  queue.add(other, now, false);
  queue.add(other, now - 2, false);
  queue.add(one, now, false);
  queue.add(late, now + 1, false);
  expect(free(3)).toEqual(["other", "one"]);
});

test("a last poll comes before those that were due earlier, takes none of their places, and is sent once", () => {
  const { queue, now, poller, free } = fullQueue();
  const [usual, last] = [poller("usual"), poller("last")];
  queue.add(usual, now - 1000, false);
  queue.add(last, now, false);
  queue.addLast(last, now + 500);
  // Somebody joins who wants the same job polled now.
  queue.add(last, now, false);
  expect(free(1)).toEqual(["last", "usual"]);
  expect(free(2)).toEqual(["last", "usual"]);
});

test("last polls come by their deadlines, each by the earliest of its own", () => {
  const { queue, now, poller, free } = fullQueue();
  const [late, early, hurried] = [poller("late"), poller("early"), poller("hurried")];
  queue.addLast(late, now + 500);
  queue.addLast(early, now + 300);
  queue.addLast(hurried, now + 400);
  queue.addLast(hurried, now + 200);
  queue.addLast(hurried, now + 600);
  expect(free(3)).toEqual(["hurried", "early", "late"]);
});

test("polls that are taken out do not come, last ones or not", () => {
  const { queue, now, poller, free } = fullQueue();
  const [usual, last] = [poller("usual"), poller("last")];
  queue.add(usual, now, false);
  queue.addLast(last, now + 500);
  queue.delete(usual);
  queue.delete(last);
  expect(free(2)).toEqual([]);
});

test("after a 429, first polls and usual ones share the places that are left", () => {
  const { queue, now, poller, started } = emptyQueue(4);
  const refused = poller("refused");
  queue.add(refused, now, false);
  queue.wake(now);
  queue.end(refused, now, now, { error: new RateLimitError("", {} as never) });
  const later = now + 1000;
  const [one, other, first, usual] = [poller("one"), poller("other"), poller("first"), poller("usual")];
  queue.add(one, later - 4, true);
  queue.add(other, later - 3, false);
  queue.add(usual, later - 2, false);
  queue.add(first, later - 1, true);
  queue.wake(later);
  expect(started).toEqual(["refused", "one", "other"]);
  queue.end(one, now, later, "abandoned");
  queue.wake(later);
  expect(started).toEqual(["refused", "one", "other", "usual"]);
  queue.end(other, now, later, "abandoned");
  queue.wake(later);
  expect(started).toEqual(["refused", "one", "other", "usual", "first"]);
});

test("a refusal that is yet to come, as the clock was set back, is forgotten", () => {
  const { queue, now, poller, started } = emptyQueue(2);
  const refused = poller("refused");
  queue.add(refused, now, false);
  queue.wake(now);
  queue.end(refused, now, now, { error: new RateLimitError("", {} as never) });
  for (const name of ["one", "other"]) queue.add(poller(name), now - 1000, false);
  queue.wake(now);
  expect(started).toEqual(["refused"]);
  queue.wake(now - 1);
  expect(started).toEqual(["refused", "one", "other"]);
});
