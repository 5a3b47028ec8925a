import { own } from "../contestants.js";
import type { Part } from "../part.js";
import type { Cost } from "../programs/wait-for-many.js";
import { answerOf } from "../programs.js";
import { waitersById } from "../waiting/waiters.js";

const [many, most] = [1_000, 10_000];

export const waits: Part = {
  title: "What many waits at once take",
  async measure() {
    const costs: { name: string; count: number; cost: Cost }[] = [];
    for (const count of [many, most]) {
      for (const name of Object.keys(waitersById)) {
        const cost = await answerOf<Cost>("wait-for-many", [name, String(count)], ["--expose-gc"]);
        costs.push({ name, count, cost });
      }
    }
    const ours = (count: number) =>
      costs.find((one) => one.name === own && one.count === count)?.cost as Cost;
    return {
      goals: [
        { name: "1,000 waits: late by, s", measured: ours(many).lateSeconds, atMost: 0.5 },
        { name: "1,000 waits: heap a wait, bytes", measured: ours(many).heapBytes, atMost: 5_000 },
        { name: "10,000 waits: late by, s", measured: ours(most).lateSeconds, atMost: 2 },
        { name: "10,000 waits: heap a wait, bytes", measured: ours(most).heapBytes, atMost: 5_000 },
      ],
      columns: ["", "waits", "late by, s", "heap a wait, bytes", "polls a job"],
      rows: costs.map(({ name, count, cost: { lateSeconds, heapBytes, polls } }) => {
        return [name, count, lateSeconds, heapBytes, polls];
      }),
      notes:
        "Waits for jobs of 8 to 12 s on a stubbed `fetch` that answers after 20 ms, on the real clock, begun 100 in a turn of the event loop, without options. All waits must end. The peers are the lighter ones that wait for any job. Heap is what the waits hold 6 s after the first began, over what a client held before, after garbage collection on both sides. Each in a process of its own.",
    };
  },
};
