import { readFileSync } from "node:fs";
import fc from "fast-check";
import type { CreateScreenshotsParams } from "screenshot-sets";
import type { StoredSet } from "screenshot-sets/batch";
import type { Mock } from "screenshot-sets/mock";
import type { BatchProcess } from "./batch-process.js";
import type { BatchReport } from "./batch-worker.js";
import { oneIn } from "./draws.js";

/** A process that suspends itself while it runs a batch, and another one that takes over the file meanwhile. */
export const takeover = fc.record({
  /** After so many events, if it has not ended before. */
  sleepsAt: fc.integer({ min: 1, max: 120 }),
  /** After so many events of the other one, or when that has ended. From the third on, the file is taken. */
  wakesAt: fc.oneof(fc.integer({ min: 3, max: 150 }), fc.constant(Number.POSITIVE_INFINITY)),
  concurrency: fc.integer({ min: 1, max: 4 }),
  /** Whether the other one orders again what it finds uncertain. */
  again: oneIn(3, fc.constant(true)),
  failing: oneIn(
    2,
    fc.record({
      who: fc.constantFrom("sleeper", "taker"),
      write: fc.integer({ min: 1, max: 12 }),
      as: fc.constantFrom("none", "part", "all", "all"),
    }),
  ),
});

export type Takeover = typeof takeover extends fc.Arbitrary<infer Drawn> ? Drawn : never;

type Who = "sleeper" | "taker";

/** How much faster their clocks run, by which they poll. */
const speed = 20;

const lost = /was written to by something else|lock .* was removed or taken|in use by another process/;

/** The week that a takeover is a part of. */
interface Week {
  readonly mock: Mock;
  readonly sets: Record<string, CreateScreenshotsParams>;
  readonly variables: Record<string, unknown>;
  readonly world: { program: { begin(variables: Record<string, string>): BatchProcess } };
  readonly path: string;
  /** What was found wrong. */
  readonly found: Set<string>;
  readonly takenOver: string[];
  mostUncertain: number;
  spent: number;
  learn(outcomes: BatchReport["outcomes"]): void;
  records(): Promise<[string, StoredSet][]>;
}

/** Lives through a takeover, and finds what no process may do then. */
export async function liveTakeover(week: Week, given: Takeover): Promise<void> {
  const { mock } = week;
  const usedBefore = mock.credits.used;
  const openBefore = await openKeys(week);
  const again = given.again ? Object.keys(week.sets) : [];
  const sleeper = begin(week, given, "sleeper", { SLEEP_AT: given.sleepsAt });
  let taker: BatchProcess | undefined;
  try {
    await sleeper.event;
    taker = begin(week, given, "taker", { TELL_AT: given.wakesAt, AGAIN: JSON.stringify(again) });
    await taker.event;
    sleeper.wake();
    const reports = { sleeper: await sleeper.report, taker: await taker.report };
    week.spent += mock.credits.used - usedBefore;
    if (/lock .* was removed/.test(reports.sleeper?.error ?? "")) week.takenOver.push("taken over");

    checkLines(week, sleeper, taker, reports.taker?.error);
    // A line that lands late is evidence of a create, where the set counts as new again.
    const late = linesIn(sleeper.appended.since.join(""));
    week.mostUncertain += late.filter(({ value }) => value?.state?.step === "sending").length;
    if (sleeper.sentLate.length > 0) week.found.add("sent a create though the file was lost");
    for (const who of ["taker", "sleeper"] as const) checkReport(week, given, who, reports[who]);
    if (losesSave(given)) week.mostUncertain += given.concurrency;
    else if ((await openKeys(week)).some((key) => !openBefore.includes(key))) {
      week.found.add("left a create open that could have been ended");
    }
  } finally {
    sleeper.kill();
    taker?.kill();
  }
}

function begin(week: Week, given: Takeover, who: Who, more: Record<string, unknown>): BatchProcess {
  const { failing, concurrency } = given;
  const failure = failing?.who === who && { FAILING_WRITE: failing.write, FAILS_AS: failing.as };
  const variables = { ...week.variables, CONCURRENCY: concurrency, SPEED: speed, ...failure, ...more };
  const texts = Object.entries(variables).map(([name, value]) => [name, String(value)]);
  return week.world.program.begin(Object.fromEntries(texts));
}

/** Whether an acceptance may be in no file. */
function losesSave({ failing }: Takeover, who = failing?.who): boolean {
  return failing !== undefined && failing.as !== "all" && failing.who === who;
}

function checkReport(week: Week, given: Takeover, who: Who, report: BatchReport | undefined): void {
  const { outcomes = [], error = "" } = report ?? {};
  const isExpected = lost.test(error) || (given.failing?.who === who && error.includes("no space left"));
  if (error !== "" && !isExpected) week.found.add(`the ${who} ended with ${error}`);
  // Where it was ordered again meanwhile, another acceptance counts.
  const isReplaced = who === "sleeper" && given.again;
  if (!isReplaced && !losesSave(given, who)) week.learn(outcomes);
}

/** Whoever met lines of another process that count has begun nothing behind them; who met others has gone on. */
function checkLines(week: Week, sleeper: BatchProcess, taker: BatchProcess, error = ""): void {
  const late = sleeper.appended.since.join("");
  const written = [...taker.appended.before, ...taker.appended.since];
  const counts = new Map<string, number>();
  const begun = new Set<number>();
  let [hasTaken, isBeside, mayBeBeside] = [false, false, false];
  for (const { key, n, value, text } of linesIn(readFileSync(week.path, "utf8"))) {
    if (n !== (counts.get(key) ?? 0) + 1) continue;
    counts.set(key, n);
    const { step } = value?.state ?? {};
    const write = written.findIndex((lines) => lines.includes(text));
    // What was there when the taker opened the file is no news. Both may have put back nothing, or seen the same end.
    hasTaken ||= write >= 0;
    mayBeBeside ||= late.includes(text);
    isBeside ||= hasTaken && late.includes(text) && (step === "sending" || step === "accepted");
    if (isBeside && write >= 0 && step === "sending") begun.add(write);
  }
  // One write may be on its way.
  if (begun.size > 1) week.found.add("went on beside another process");
  if (error.includes("was written to") && !mayBeBeside) week.found.add("stopped by lines that do not count");
}

interface Line {
  key: string;
  n: number;
  value: StoredSet | null;
  text: string;
}

/** The lines of a file. What a crash left of one does not parse. */
function linesIn(file: string): Line[] {
  const texts = file.replaceAll('{"format":"screenshot-sets batch 2"}', "\n").split(/[\t\n]/);
  return texts.flatMap((padded) => {
    const text = padded.trim();
    try {
      return [{ ...JSON.parse(text), text }];
    } catch {
      return [];
    }
  });
}

/** The sets whose create nobody knows to have ended. */
async function openKeys(week: Week): Promise<string[]> {
  const records = await week.records();
  return records.filter(([, { state }]) => state?.step === "sending").map(([key]) => key);
}
