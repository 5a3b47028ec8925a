import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { createLog } from "../../src/secrets/log.js";
import { Timeline } from "../../src/time/timeline.js";
import { type Poller, PollQueue } from "../../src/wait/poll-queue.js";
import { mostInFlight } from "../../src/wait/throttle.js";

/** A queue all of whose places are taken, and pollers that note when they start. */
function fullQueue() {
  const { clock } = createMock();
  const now = clock.now();
  const queue = new PollQueue(new Timeline(clock, () => {}), createLog(undefined));
  const started: string[] = [];
  const poller = (name: string): Poller => ({
    dueAt: Number.POSITIVE_INFINITY,
    place: -1,
    start: () => started.push(name) > 0,
  });
  const holders = Array.from({ length: mostInFlight }, () => poller("holder"));
  for (const holder of holders) {
    queue.add(holder, now);
    queue.wake(now);
  }
  started.length = 0;
  /** Ends so many of the polls that take the places, and lets others follow. */
  const free = (places: number) => {
    for (let left = places; left > 0; left--) queue.end(holders[0] as Poller, now, now, "unfinished");
    queue.wake(now);
    return started;
  };
  return { queue, now, poller, free };
}

test("polls come in the order in which they are due, at the earliest time that was asked for", () => {
  const { queue, now, poller, free } = fullQueue();
  const [one, other, late] = [poller("one"), poller("other"), poller("late")];
  queue.add(one, now - 1);
  queue.add(other, now);
  queue.add(other, now - 2);
  queue.add(one, now);
  queue.add(late, now + 1);
  expect(free(3)).toEqual(["other", "one"]);
});

test("an urgent poll comes before those that were due earlier, and is sent once", () => {
  const { queue, now, poller, free } = fullQueue();
  const [usual, urgent] = [poller("usual"), poller("urgent")];
  queue.add(usual, now - 1000);
  queue.add(urgent, now);
  queue.addUrgent(urgent, now + 500);
  // Somebody joins who wants the same job polled now.
  queue.add(urgent, now);
  expect(free(1)).toEqual(["urgent"]);
  expect(free(2)).toEqual(["urgent", "usual"]);
});

test("urgent polls come by their deadlines, each by the earliest of its own", () => {
  const { queue, now, poller, free } = fullQueue();
  const [late, early, hurried] = [poller("late"), poller("early"), poller("hurried")];
  queue.addUrgent(late, now + 500);
  queue.addUrgent(early, now + 300);
  queue.addUrgent(hurried, now + 400);
  queue.addUrgent(hurried, now + 200);
  queue.addUrgent(hurried, now + 600);
  expect(free(3)).toEqual(["hurried", "early", "late"]);
});

test("polls that are taken out do not come, urgent or not", () => {
  const { queue, now, poller, free } = fullQueue();
  const [usual, urgent] = [poller("usual"), poller("urgent")];
  queue.add(usual, now);
  queue.addUrgent(urgent, now + 500);
  queue.delete(usual);
  queue.delete(urgent);
  expect(free(2)).toEqual([]);
});
