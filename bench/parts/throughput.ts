import { fork } from "node:child_process";
import { once } from "node:events";
import { compareRates } from "../compare.js";
import { ours } from "../contestants.js";
import type { Part } from "../part.js";

const warmUpRounds = 2;
const rounds = 15;
const requestsPerRound = 3_000;
const apiKey = "key_0123456789abcdef0123456789abcdef";
const body = { appId: "app_1", device: "iphone-69", count: 5 } as const;

type Call = () => Promise<unknown>;

const bareFetch =
  (baseUrl: string, init: () => RequestInit = () => ({})): Call =>
  async () => {
    const response = await fetch(`${baseUrl}/public/v1/screenshots`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      ...init(),
    });
    if (!response.ok) throw new Error(`Failed with ${response.status}`);
    return response.json();
  };

async function ourCall(baseUrl: string): Promise<Call> {
  const { ScreenshotSets } = await ours();
  const client = new ScreenshotSets({ apiKey, baseUrl });
  return () => client.screenshots.create(body);
}

/** Requests a second of so many callers, each of whom waits for its answer before it calls again. */
async function rate(call: Call, callers: number): Promise<number> {
  let left = requestsPerRound;
  const startedAt = performance.now();
  const caller = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (requestsPerRound / (performance.now() - startedAt)) * 1000;
}

export const part: Part = {
  name: "throughput",
  title: "Requests a second over loopback",
  async run() {
    const server = fork(new URL("../loopback-server.ts", import.meta.url));
    try {
      const [port] = await once(server, "message");
      const baseUrl = `http://127.0.0.1:${port}/api/v1`;
      const bare = bareFetch(baseUrl);
      const own = await ourCall(baseUrl);
      const timeLimited = bareFetch(baseUrl, () => ({ signal: AbortSignal.timeout(60_000) }));
      const compared = (call: Call, callers: number) =>
        compareRates(
          () => rate(bare, callers),
          () => rate(call, callers),
          { warmUpRounds, rounds },
        );
      const one = await compared(own, 1);
      const many = await compared(own, 64);
      const limitedOne = await compared(timeLimited, 1);
      const limitedMany = await compared(timeLimited, 64);
      return {
        columns: ["", "connections", "requests/s", "bare fetch meanwhile, requests/s", "÷ bare fetch"],
        rows: [
          ["screenshot-sets", "1", one.own, one.bare, one.ratio],
          ["screenshot-sets", "64", many.own, many.bare, many.ratio],
          ["fetch with a time-out", "1", limitedOne.own, limitedOne.bare, limitedOne.ratio],
          ["fetch with a time-out", "64", limitedMany.own, limitedMany.bare, limitedMany.ratio],
        ],
        goals: [
          { name: "rate ÷ bare fetch, 1 connection", measured: one.ratio, atLeast: 0.9 },
          { name: "rate ÷ bare fetch, 64 connections", measured: many.ratio, atLeast: 0.85 },
        ],
        notes: [
          "`screenshots.create` against a server in a process of its own, and the same request by `fetch` alone.",
          "A time-out takes a signal, which alone slows Node's `fetch` down: `signal: AbortSignal.timeout(60_000)` shows by how much.",
          `Medians of ${rounds} rounds of ${requestsPerRound.toLocaleString("en")} requests; the ratio is the median of each round's ratio.`,
        ],
      };
    } finally {
      server.disconnect();
    }
  },
};
