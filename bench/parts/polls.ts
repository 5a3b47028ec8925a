import { own } from "../contestants.js";
import type { Part } from "../part.js";
import { answerOf } from "../programs.js";
import { distributions } from "../waiting/durations.js";
import { geometricMean, type Outcome, product } from "../waiting/outcome.js";
import { waiters } from "../waiting/waiters.js";

const usual = Object.keys(distributions).length;

/** The geometric mean over the usual distributions. */
const meanOf = (outcomes: Outcome[], read: (outcome: Outcome) => number) =>
  geometricMean(outcomes.slice(0, usual).map(read));

const worstOf = (outcomes: Outcome[]) =>
  outcomes.reduce((worst, outcome) => (product(outcome) > product(worst) ? outcome : worst));

export const polls: Part = {
  title: "How often a wait polls, and how late it sees the end",
  async measure() {
    const [, ...peers] = Object.keys(waiters);
    const programs = [
      { name: own, args: [own, "first"] },
      { name: `${own}, after 100 jobs`, args: [own, "learned"] },
      ...peers.map((name) => ({ name, args: [name, "first"] })),
    ];
    // All at once: on a virtual clock they do not disturb each other.
    const contestants = await Promise.all(
      programs.map(async ({ name, args }) => ({
        name,
        outcomes: await answerOf<Outcome[]>("wait-in-virtual-time", args),
      })),
    );
    const [cold = [], learned = []] = contestants.map(({ outcomes }) => outcomes);
    const gains = learned.map((outcome, index) => product(outcome) / product(cold[index] as Outcome));
    return {
      goals: [
        { name: "polls × lateness, first job of a client", measured: meanOf(cold, product), atMost: 1.2 },
        { name: "polls × lateness, after 100 jobs", measured: meanOf(learned, product), atMost: 0.33 },
        {
          name: `after 100 jobs ÷ first job, the worst of ${cold.length} sorts of durations`,
          measured: Math.max(...gains),
          atMost: 1.1,
        },
      ],
      columns: ["", "polls a job", "late by, % of the duration", "polls × lateness", "the worst", "with"],
      rows: contestants.map(({ name, outcomes }) => [
        name,
        meanOf(outcomes, ({ looks }) => looks),
        100 * meanOf(outcomes, ({ lateness }) => lateness),
        meanOf(outcomes, product),
        product(worstOf(outcomes)),
        worstOf(outcomes).distribution,
      ]),
      notes: `The mean number of polls of a job, the mean share of its duration by which its end is seen late, and their product: the less, the better. Geometric means over ${usual} sorts of durations (${Object.keys(distributions).join("; ")}; “about” is a normal distribution with a standard deviation of 5 %); the worst of ${cold.length} sorts, which are in \`waiting/durations.ts\`. Each contestant waits for 100 simulated jobs of each sort (${own} for five times as many), as it does without options, on a virtual clock; a poll takes 100 ms and tells what was true in the middle of that.`,
    };
  },
};
