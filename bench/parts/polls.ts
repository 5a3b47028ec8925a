import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { peerVersions } from "../contestants.js";
import type { Part } from "../part.js";
import { distributions } from "../waiting/durations.js";
import { leastPossible } from "../waiting/least-possible.js";
import { geometricMean, type Outcome, product } from "../waiting/outcome.js";
import { waiters } from "../waiting/waiters.js";

const run = promisify(execFile);
const program = fileURLToPath(new URL("../waiting/wait-in-virtual-time.ts", import.meta.url));

/** The outcomes of a contestant, in a separate process. */
async function outcomesOf(name: string, mode: "first" | "kept" | "learned" | "change"): Promise<Outcome[]> {
  const { stdout } = await run(process.execPath, [...process.execArgv, program, name, mode]);
  return JSON.parse(stdout);
}

const limit = "the least possible, durations known";

export const part: Part = {
  name: "polls",
  title: "How often a wait looks, and how late it sees the end",
  async run() {
    const contestants: { name: string; outcomes: Outcome[] }[] = [
      {
        name: "screenshot-sets, a new client for each job",
        outcomes: await outcomesOf("screenshot-sets", "first"),
      },
      { name: "screenshot-sets, after 100 jobs", outcomes: await outcomesOf("screenshot-sets", "learned") },
      {
        name: "screenshot-sets, a new client for each job, with what another learned of 100",
        outcomes: await outcomesOf("screenshot-sets", "kept"),
      },
    ];
    for (const name of Object.keys(waiters).filter((name) => name in peerVersions())) {
      contestants.push({ name, outcomes: await outcomesOf(name, "first") });
    }
    contestants.push({ name: limit, outcomes: leastPossible(100, 200) });
    const usual = Object.keys(distributions).length;
    const rows = contestants.map(({ name, outcomes }) => ({
      name,
      product: geometricMean(outcomes.slice(0, usual).map(product)),
      outcomes,
    }));
    const [first, learned, kept] = rows;
    const shares = learned?.outcomes.map((outcome, index) => {
      const unlearned = first?.outcomes[index];
      return unlearned ? product(outcome) / product(unlearned) : Number.NaN;
    });
    const [changed] = await outcomesOf("screenshot-sets", "change");
    return {
      columns: ["durations", ...rows.map(({ name }) => name)],
      rows: [
        [`the first ${usual}, geometric mean`, ...rows.map(({ product }) => product)],
        ...(first?.outcomes ?? []).map(({ distribution }, index) => [
          distribution,
          ...rows.map(({ outcomes }) => product(outcomes[index] as Outcome)),
        ]),
      ],
      limits: [limit],
      goals: [
        {
          name: "polls × lateness, a new client for each job",
          measured: first?.product ?? Number.NaN,
          atMost: 1.15,
        },
        { name: "polls × lateness, after 100 jobs", measured: learned?.product ?? Number.NaN, atMost: 0.26 },
        {
          name: "the same, by what another client learned",
          measured: kept?.product ?? Number.NaN,
          atMost: 0.35,
        },
        {
          name: "after 100 jobs ÷ a new client for each job, the worst of all durations",
          measured: Math.max(...(shares ?? [Number.NaN])),
          atMost: 1,
        },
        {
          name: "lateness of the 21st to 30th job of about 60 s after 100 jobs of about 10 s",
          measured: changed?.lateness ?? Number.NaN,
          atMost: 0.1,
        },
      ],
      points: rows.flatMap(({ name, outcomes }) =>
        outcomes.slice(0, usual).map((outcome) => ({ name, ...outcome })),
      ),
      notes: [
        "The mean number of polls a job × how late its end is seen, as the mean share of its duration, and the geometric mean of the products over the first seven distributions of durations; “about” is a normal distribution with a standard deviation of 5 %.",
        "Each contestant is its published package, which waits for 100 simulated jobs of each kind (the project for five times as many) as it does without options, in a process of its own whose clock is virtual; a poll takes 100 ms and tells what was true in the middle of that.",
        "The project waits by `createAndWait`, the others by what they offer for a job that was just created.",
      ],
    };
  },
};
