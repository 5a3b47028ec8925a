import { appPrefix } from "../batch/batch-options.js";
import type { SetState } from "../durable/set-state.js";
import { type Entries, storedIn } from "../durable/set-store.js";
import { numberIn } from "../text/figures.js";
import { printableLine } from "./output.js";

/** An order that was accepted: when it was sent and accepted, its price, and what the account had after it. */
interface Acceptance {
  jobId: string;
  sentAt: number;
  at: number;
  cost: number;
  remaining: number;
}

/**
 * What a state's numbers say to a person who has to decide about its uncertain sets: when each began, and where the
 * account fell by more than the acceptances cost. It concludes nothing: a charge may be booked late, and others may use
 * the account. `docs/queues.md` has the same as a query.
 */
export async function balanceNotes(entries: Entries): Promise<string[]> {
  const began: { key: string; at: number }[] = [];
  const accepted: Acceptance[] = [];
  for await (const [key, value] of entries) {
    const { state, earlier = [] } = (key.startsWith(appPrefix) ? undefined : storedIn(key, value)) ?? {};
    for (const order of [...earlier, state]) {
      if (order?.step === "sending" || order?.step === "uncertain") began.push({ key, at: order.at });
      else if (order) accepted.push(acceptanceOf(order));
    }
  }
  const earliest = Math.min(...began.map(({ at }) => at));
  return [...began.map(beganNote), ...comparison(accepted, earliest)].map(printableLine);
}

function beganNote({ key, at }: { key: string; at: number }): string {
  const time = new Date(at);
  return `${key} began at ${Number.isNaN(time.getTime()) ? "an unknown time" : time.toISOString()}.`;
}

function acceptanceOf(order: Extract<SetState, { jobId: string; credits?: unknown }>): Acceptance {
  const { jobId, at, sentAt = at } = order;
  // A document may leave the numbers out.
  const { cost, remaining }: Record<string, unknown> = Object(order.credits);
  return { jobId, sentAt, at, cost: numberIn(cost), remaining: numberIn(remaining) };
}

/** @param began when the first of the uncertain sets did */
function comparison(accepted: Acceptance[], began: number): string[] {
  accepted.sort((one, other) => one.at - other.at);
  const [first, last] = [accepted[0], accepted.at(-1)];
  if (first === undefined || last === undefined)
    return ["No set was accepted, so there are no balances to compare."];
  const { compared, cut } = lastPiece(accepted);
  return [
    ...(cut === undefined ? [] : [cut]),
    ...differences(compared),
    `What was charged after ${last.jobId}, the last acceptance, cannot be seen.`,
    ...(began < first.at ? ["What the account had before the first acceptance is not known."] : []),
  ];
}

/**
 * The acceptances since the credits last rose: since one left no less than another that had come before it was sent. The
 * allowance returned then, or somebody was refunded or bought credits.
 */
function lastPiece(accepted: readonly Acceptance[]) {
  let cut: string | undefined;
  let compared: Acceptance[] = [];
  for (const next of accepted) {
    const before = compared.findLast(
      ({ at, remaining }) => at < next.at && at <= next.sentAt && remaining <= next.remaining,
    );
    if (before) {
      cut = `What came before ${next.jobId} is not compared: it left ${next.remaining} credits, and ${before.jobId} before it ${before.remaining}.`;
      compared = [];
    }
    compared.push(next);
  }
  return { compared, cut };
}

function differences(compared: Acceptance[]): string[] {
  const unnamed = compared.find(
    ({ cost, remaining }) => !(Number.isFinite(cost) && Number.isFinite(remaining)),
  );
  if (unnamed)
    return [`The acceptance of ${unnamed.jobId} did not name its credits, so no balances are compared.`];
  // The lower the rest, the later the charge, whatever the order of the answers.
  const falling = compared.toSorted((one, other) => other.remaining - one.remaining);
  const pairs = falling.slice(1).map((to, index) => ({ from: falling[index] as Acceptance, to }));
  const [first, end] = [falling[0] as Acceptance, falling.at(-1) as Acceptance];
  const late = pairs.find(({ from, to }) => from.remaining - to.remaining < to.cost);
  if (late) {
    const { from, to } = late;
    return [
      `${left(from)} and ${left(to)} differ by less than ${to.jobId} cost (${to.cost}), as where a charge is booked late, so no differences are told.`,
    ];
  }
  if (first === end) return [`There is no other acceptance to compare ${left(first)} with.`];
  const gaps = pairs.filter(({ from, to }) => from.remaining - to.remaining > to.cost);
  if (gaps.length === 0)
    return [`Between ${left(first)} and ${left(end)}, the account fell by what the acceptances cost.`];
  return [
    ...gaps.map(
      ({ from, to }) =>
        `The account fell by ${from.remaining - to.remaining} between ${left(from)} and ${left(to)}, of which ${to.jobId} cost ${to.cost}.`,
    ),
    "Whatever else uses the account shows in these numbers too.",
  ];
}

function left({ jobId, remaining }: Acceptance): string {
  return `${jobId} (${remaining} left)`;
}
