import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Part } from "../part.js";
import type { Load } from "../waiting/wait-for-many.js";
import { waitersById } from "../waiting/waiters.js";

const run = promisify(execFile);
const program = fileURLToPath(new URL("../waiting/wait-for-many.ts", import.meta.url));

const sizes = [100, 1_000, 10_000] as const;

/** The cost of this many waits of a contestant, in a separate process. */
async function loadOf(name: string, count: number): Promise<Load> {
  const { stdout } = await run(process.execPath, [
    ...process.execArgv,
    "--expose-gc",
    program,
    name,
    String(count),
  ]);
  return JSON.parse(stdout);
}

export const part: Part = {
  name: "waits",
  title: "What many waits at once take",
  async run() {
    const rows: (Load & { name: string; count: number })[] = [];
    for (const name of Object.keys(waitersById)) {
      for (const count of sizes) rows.push({ name, count, ...(await loadOf(name, count)) });
    }
    const own = (count: number) =>
      rows.find((row) => row.name === "screenshot-sets" && row.count === count) as Load;
    const [many, most] = [own(1_000), own(10_000)];
    return {
      columns: [
        "",
        "waits",
        "heap a wait, bytes",
        "event-loop delay, 99th percentile, ms",
        "polls a job",
        "most polls in flight",
        "ends seen late by, s",
      ],
      rows: rows.map(({ name, count, heapBytes, delayMs, looks, mostInFlight, lateMs }) => [
        name,
        count,
        heapBytes / count,
        delayMs,
        looks / count,
        mostInFlight,
        lateMs / 1000,
      ]),
      goals: [
        { name: "heap a wait at 1,000, bytes", measured: many.heapBytes / 1_000, atMost: 4_000 },
        { name: "heap a wait at 10,000, bytes", measured: most.heapBytes / 10_000, atMost: 4_000 },
        { name: "polls in flight at 10,000", measured: most.mostInFlight, atMost: 64 },
        { name: "ends seen late by at 1,000, s", measured: many.lateMs / 1000, atMost: 0.5 },
        { name: "ends seen late by at 10,000, s", measured: most.lateMs / 1000, atMost: 2 },
      ],
      points: rows.map((row) => ({ ...row })),
      notes: [
        "Waits for jobs of 8 to 12 s on a stubbed `fetch` that answers after 20 ms, on the real clock, begun 100 in a turn of the event loop, with no options but `maxConcurrentPolls` where that is said; the lighter peers that wait for any job.",
        "The heap is what waits of 6 s hold over what was there before the first of a new client, after a warm-up and garbage collection on both sides; the waits' promises are part of it.",
        "The delay is that of something due each millisecond, from the first wait to the last end, so that a block of a second counts a thousand times.",
        "Each in a process of its own.",
      ],
    };
  },
};
