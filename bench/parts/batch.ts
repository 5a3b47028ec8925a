import { type Figure, takeTurns } from "../compare.js";
import type { Part } from "../part.js";
import { answerOf } from "../programs.js";

const sizes = [1_000, 4_000];
const rounds = { warmUpRounds: 0, rounds: 3 };

export const batch: Part = {
  title: "What keeping a batch in a file takes",
  async measure() {
    const measured: { size: number; figures: Figure[] }[] = [];
    for (const size of sizes) {
      const seconds = (kind: string) => answerOf<number>("plan-batch", [kind, String(size)]);
      measured.push({ size, figures: await takeTurns(["memory", "file"], rounds, seconds) });
    }
    return {
      goals: measured.map(({ size, figures }) => ({
        name: `a batch of ${size.toLocaleString("en")} sets: with a file ÷ without`,
        measured: figures[1]?.ratio ?? Number.NaN,
        atMost: 1.4,
      })),
      columns: ["sets", "in memory, s", "in a file, s", "÷ in memory"],
      rows: measured.map(({ size, figures: [memory, file] }) => [
        size.toLocaleString("en"),
        memory?.median ?? Number.NaN,
        file?.median ?? Number.NaN,
        file?.ratio ?? Number.NaN,
      ]),
      notes: `\`runBatch\` with a concurrency of 16 on the mock in memory, whose jobs end at once: nearly all of the time is the SDK's own. Each in a process of its own, in turns. Medians of ${rounds.rounds} rounds; the ratio is the median of the rounds' ratios.`,
    };
  },
};
