import { takeTurns } from "../compare.js";
import { own } from "../contestants.js";
import type { Part } from "../part.js";
import { ask, type Program, start } from "../programs.js";

/** Files in `clients/`. Bare `fetch` comes first, because the others are compared with it. */
const names = ["bare-fetch", own, "openapi-fetch", "replicate", "openai", "@runwayml/sdk", "assemblyai"];
const rounds = { warmUpRounds: 3, rounds: 11 };
const callsARound = 2_000;

export const calls: Part = {
  title: "What a call costs",
  async measure() {
    const server = await start<{ url: string }>("bare-server");
    const callers: Program<unknown>[] = [];
    for (const name of names) callers.push(await start("calling", name, server.message.url));
    const figures = await takeTurns(callers, rounds, (caller) => ask(caller, { calls: callsARound }));
    for (const { child } of [server, ...callers]) child.disconnect();
    return {
      goals: [
        {
          name: "CPU of a call over loopback ÷ bare `fetch`",
          measured: figures[names.indexOf(own)]?.ratio ?? Number.NaN,
          atMost: 1.3,
        },
      ],
      columns: ["", "CPU µs a call", "÷ bare fetch"],
      rows: figures.map(({ median, ratio }, index) => [names[index] as string, median, ratio]),
      notes: `One POST with JSON both ways over loopback HTTP, one call after the other, without options: whatever a client checks, it checks. CPU is that of the calling process; the server has its own. Medians of ${rounds.rounds} rounds of ${callsARound.toLocaleString("en")} calls, in which the contestants take turns; the ratio is the median of the rounds' ratios.`,
    };
  },
};
