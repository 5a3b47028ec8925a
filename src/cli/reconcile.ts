import { appPrefix } from "../batch/batch-options.js";
import type { SetState } from "../durable/set-state.js";
import { type Entries, storedIn } from "../durable/set-store.js";
import { numberIn, plural } from "../figures.js";
import { printableLine } from "./output.js";

/** An order that was accepted: when, and what the account had then. */
interface Acceptance {
  jobId: string;
  at: number;
  cost: number;
  remaining: number;
}

/** The time between two acceptances: the uncertain sets that were begun in it, and how many charges nobody accounts for. */
interface Interval {
  from: Acceptance;
  to: Acceptance;
  keys: string[];
  charges: number;
}

/**
 * What the acceptances in a state tell of its uncertain sets: sentences for a person, who decides. Each acceptance names
 * what was left, so that charges between two of them show.
 */
export async function reconciliation(entries: Entries): Promise<string[]> {
  const orders: [key: string, state: SetState][] = [];
  for await (const [key, value] of entries) {
    const { state, earlier = [] } = (key.startsWith(appPrefix) ? undefined : storedIn(key, value)) ?? {};
    for (const order of [...earlier, state]) if (order) orders.push([key, order]);
  }
  const isUncertain = ({ step }: SetState) => step === "sending" || step === "uncertain";
  const uncertain = orders.filter(([, state]) => isUncertain(state)).map(([key, { at }]) => ({ key, at }));
  const accepted = orders.flatMap(([, state]) => acceptanceOf(state));
  // The lower the rest, the later the charge, whatever the order of the answers.
  accepted.sort((one, other) => other.remaining - one.remaining);

  const problem = problemOf(accepted);
  if (problem) return [`What became of the uncertain sets cannot be told from the state: ${problem}.`];
  const intervals = intervalsOf(accepted, uncertain);
  const known = new Set(intervals.flatMap(({ keys }) => keys));
  const others = uncertain.filter(({ key }) => !known.has(key)).map(({ key }) => key);
  return [
    ...intervals.filter(({ keys }) => keys.length > 0).map(sentenceOf),
    ...(known.size > 0 ? ["This holds if nobody else uses the account's credits."] : []),
    ...(others.length > 0
      ? [`It cannot be told of ${others.join(", ")}: that takes an acceptance before it, and one after it.`]
      : []),
  ].map(printableLine);
}

function acceptanceOf(state: SetState): Acceptance[] {
  if (state.step !== "accepted" && state.step !== "ended") return [];
  const { jobId, at } = state;
  // A document may leave the numbers out.
  const { cost, remaining }: Record<string, unknown> = Object(state.credits);
  return [{ jobId, at, cost: numberIn(cost), remaining: numberIn(remaining) }];
}

/** Why the acceptances tell nothing. */
function problemOf(accepted: Acceptance[]): string | undefined {
  if (accepted.some(({ cost, remaining }) => !(cost > 0 && remaining >= 0)))
    return "an acceptance did not name its credits";
  const isRising = accepted.some(({ at }, index) => at + answerMs < (accepted[index - 1]?.at ?? at));
  return isRising ? "the credits rose between two acceptances" : undefined;
}

/** Two creates that were sent at once may be answered in another order than they were charged. */
const answerMs = 60_000;

function intervalsOf(accepted: Acceptance[], uncertain: { key: string; at: number }[]): Interval[] {
  const intervals = accepted.slice(1).map((to, index): Interval => {
    const from = accepted[index] as Acceptance;
    const keys = uncertain.filter(({ at }) => at >= from.at && at < to.at).map(({ key }) => key);
    const charges = Math.floor((from.remaining - to.remaining - to.cost) / Math.min(from.cost, to.cost));
    return { from, to, keys, charges: Math.max(charges, 0) };
  });
  // A set that was begun before an acceptance may have been charged after it.
  let rest = 0;
  for (const interval of intervals.toReversed()) {
    interval.charges += rest;
    rest = Math.max(interval.charges - interval.keys.length, 0);
  }
  return intervals;
}

function sentenceOf({ from, to, keys, charges }: Interval): string {
  const most = Math.min(charges, keys.length);
  const count = most === 0 ? "none was charged" : `at most ${most} ${most === 1 ? "was" : "were"} charged`;
  return `Of ${plural(keys.length, "uncertain set")} between ${from.jobId} and ${to.jobId} (${keys.join(", ")}), ${count}.`;
}
