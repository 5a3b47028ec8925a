import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { callers, stubbable } from "../callers.js";
import type { CallLoad } from "../calling-process.js";
import { type Figure, takeTurns } from "../compare.js";
import type { Part } from "../part.js";

const names = Object.keys(callers);
const loads: CallLoad[] = [
  { connections: 1, calls: 2_000 },
  { connections: 64, calls: 2_000 },
];
const rounds = { warmUpRounds: 3, rounds: 11 };
const stubbedCalls = 2_000;

/** @param baseUrl omitted for a stub */
async function startCaller(name: string, ...baseUrl: string[]): Promise<ChildProcess> {
  const child = fork(new URL("../calling-process.ts", import.meta.url), [name, ...baseUrl]);
  await once(child, "message");
  return child;
}

async function answerTo(child: ChildProcess, load: CallLoad): Promise<number[]> {
  child.send(load);
  const [numbers] = await once(child, "message");
  return numbers;
}

/** The figures of each contestant for each load: requests per second, and CPU microseconds per request. */
async function measure(names: string[], loads: CallLoad[], ...baseUrl: string[]): Promise<Figure[][][]> {
  const children: ChildProcess[] = [];
  try {
    for (const name of names) children.push(await startCaller(name, ...baseUrl));
    const measured: Figure[][][] = [];
    for (const load of loads) {
      measured.push(await takeTurns(children, rounds, (child) => answerTo(child, load)));
    }
    return measured;
  } finally {
    for (const child of children) child.disconnect();
  }
}

async function overLoopback(): Promise<Figure[][][]> {
  const server = fork(new URL("../loopback-server.ts", import.meta.url));
  try {
    const [port] = await once(server, "message");
    return await measure(names, loads, `http://127.0.0.1:${port}/api/v1`);
  } finally {
    server.disconnect();
  }
}

/** The CPU microseconds of a call over a stub, by contestant; each with its ratio to openapi-fetch's. */
async function overStub(): Promise<Map<string, Figure>> {
  const [figures = []] = await measure(stubbable, [{ connections: 1, calls: stubbedCalls }]);
  return new Map(figures.map(([, cpu], index) => [stubbable[index] as string, cpu as Figure]));
}

export const part: Part = {
  name: "calls",
  title: "What a call costs",
  async run() {
    const [one, many] = (await overLoopback()) as [Figure[][], Figure[][]];
    const stubbed = await overStub();
    const figure = (measured: Figure[][], name: string, place: 0 | 1) =>
      measured[names.indexOf(name)]?.[place] as Figure;
    const [own, onUndici, alone] = [
      "screenshot-sets",
      "screenshot-sets on undici",
      "undiciFetch alone",
    ] as const;
    const ahead = figure(many, onUndici, 0).median / figure(many, "stripe", 0).median;
    return {
      columns: [
        ...["", "CPU µs a request", "÷ bare fetch", "requests/s, 1 connection", "÷ bare fetch"],
        ...["requests/s, 64 connections", "÷ bare fetch", "CPU µs over a stub"],
      ],
      rows: names.map((name) => {
        const [cpu, rate, rateOfMany] = [figure(one, name, 1), figure(one, name, 0), figure(many, name, 0)];
        return [
          ...[name, cpu.median, cpu.ratio, rate.median, rate.ratio, rateOfMany.median, rateOfMany.ratio],
          stubbed.get(name)?.median ?? "",
        ];
      }),
      limits: ["bare fetch", "undici.request"],
      goals: [
        { name: "CPU ÷ bare fetch", measured: figure(one, own, 1).ratio, atMost: 1.35 },
        { name: "requests/s ÷ bare fetch, 1 connection", measured: figure(one, own, 0).ratio, atLeast: 0.9 },
        {
          name: "requests/s ÷ bare fetch, 64 connections",
          measured: figure(many, own, 0).ratio,
          atLeast: 0.85,
        },
        { name: "undiciFetch ÷ bare fetch, 1 connection", measured: figure(one, alone, 0).ratio, atLeast: 2 },
        {
          name: "undiciFetch ÷ bare fetch, 64 connections",
          measured: figure(many, alone, 0).ratio,
          atLeast: 2,
        },
        { name: "on undici ÷ stripe, 64 connections", measured: ahead, atLeast: 1 },
        { name: "over a stub, ÷ openapi-fetch", measured: stubbed.get(own)?.ratio ?? Number.NaN, atMost: 1 },
      ],
      notes: [
        "One POST with JSON both ways: `screenshots.create` with every check on, and its equivalents, over loopback HTTP. The server and each contestant have a process of their own. A connection asks again as soon as it is answered. Bare `fetch` and `undici.request` are the limit of what a client on them can do, and `undici.request` that of `undiciFetch`, with or without a client; stripe is on `node:http`.",
        "CPU is that of the calling process, one call after the other. The last column is that over a `fetch` that answers at once with a real `Response`, for those that can be given one: nobody feels that difference, as a socket costs several times as much.",
        `Medians of ${rounds.rounds} rounds, in which the contestants take turns, of ${loads.map(({ calls }) => calls.toLocaleString("en")).join(" and ")} calls, and ${stubbedCalls.toLocaleString("en")} over the stub; each ratio is the median of the rounds' ratios.`,
      ],
    };
  },
};
