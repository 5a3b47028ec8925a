import fc from "fast-check";
import { expect, test } from "vitest";
import { type Due, DueHeap } from "../../src/time/due-heap.js";

const entry = (): Due => ({ dueAt: Number.POSITIVE_INFINITY, place: -1 });
/** Without -0, which is the same time as 0 and not the same to `toBe`. */
const time = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.double({ noNaN: true })).map((at) => at + 0);
/** At which entry, and when it is due from now on; `undefined` where it is taken out. */
const change = fc.tuple(fc.nat({ max: 29 }), fc.option(time, { nil: undefined }));

test("has the earliest on top, whatever was put in, moved and taken out", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
      const heap = new DueHeap<Due>();
      const entries = Array.from({ length: 30 }, entry);
      const inside = new Set<Due>();
      for (const [index, dueAt] of changes) {
        const changed = entries[index] as Due;
        if (dueAt === undefined) heap.delete(changed);
        else heap.set(changed, dueAt);
        if (dueAt === undefined) inside.delete(changed);
        else inside.add(changed);
        expect(heap.first?.dueAt).toBe(
          inside.size === 0 ? undefined : Math.min(...[...inside].map((one) => one.dueAt)),
        );
        expect(entries.every((one) => one.place >= 0 === inside.has(one))).toBe(true);
      }
      expect(taken(heap)).toEqual([...inside].map(({ dueAt }) => dueAt).sort((a, b) => a - b));
      expect(heap.first).toBeUndefined();
    }),
  );
});

/** Takes all out, the first one first. */
function taken(heap: DueHeap<Due>): number[] {
  const times: number[] = [];
  for (let { first } = heap; first !== undefined; { first } = heap) {
    heap.delete(first);
    expect(first.place).toBe(-1);
    times.push(first.dueAt);
  }
  return times;
}

test("leaves those that are due together where they are", () => {
  const heap = new DueHeap<Due>();
  const entries = Array.from({ length: 15 }, entry);
  for (const one of entries) heap.set(one, 5);
  expect(entries.map(({ place }) => place)).toEqual([...entries.keys()]);
});

test("leaves alone what is in another one", () => {
  const [heap, other] = [new DueHeap<Due>(), new DueHeap<Due>()];
  const [one, another] = [entry(), entry()];
  heap.set(one, 3);
  other.set(another, 4);
  expect([heap.has(one), heap.has(another), other.has(entry())]).toEqual([true, false, false]);
  heap.delete(another);
  expect([heap.first, other.first]).toEqual([one, another]);
});

test("takes out what is not in it without harm", () => {
  const heap = new DueHeap<Due>();
  const [inside, outside] = [entry(), entry()];
  heap.set(inside, 3);
  heap.delete(outside);
  expect(heap.first).toBe(inside);
  expect(outside.place).toBe(-1);
});
