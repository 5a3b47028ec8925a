import fc from "fast-check";

const all = Boolean(process.env.ALL_DRAWS);

/** How many of something a test draws at random: all of them where `ALL_DRAWS=1`, as in `.ci/run`, else a sixth. */
export function draws(count: number): number {
  return all ? count : Math.ceil(count / 6);
}

/** Those of many like cases that a test takes: all of them where `ALL_DRAWS=1`, else every sixth. */
export function drawn<Case>(cases: readonly Case[]): Case[] {
  return cases.filter((_, index) => all || index % 6 === 0);
}

/** A value in one of so many draws, and else `undefined`. */
export const oneIn = <Value>(count: number, value: fc.Arbitrary<Value>) =>
  fc.oneof({ arbitrary: value, weight: 1 }, { arbitrary: fc.constant(undefined), weight: count - 1 });
