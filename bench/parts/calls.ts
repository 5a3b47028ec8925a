import { fork } from "node:child_process";
import { once } from "node:events";
import { compare, type Timing } from "../compare.js";
import { ours, peer } from "../contestants.js";
import type { Part } from "../part.js";

const apiKey = "key_0123456789abcdef0123456789abcdef";
const body = { appId: "app_1", device: "iphone-69", count: 5 } as const;
const answer = JSON.stringify({ jobId: "job_1", credits: { cost: 10, remaining: 90 } });

/** Answers at once, with a real `Response`. */
const stub = async (): Promise<Response> =>
  new Response(answer, { status: 201, headers: { "content-type": "application/json" } });

type Call = () => Promise<unknown>;

/** Where calls go: over a socket, or to a stub. */
interface Target {
  baseUrl: string;
  fetch: typeof globalThis.fetch;
}

/** What everyone writes who uses no SDK. */
function bareFetch({ baseUrl, fetch }: Target): Call {
  return async () => {
    const response = await fetch(`${baseUrl}/public/v1/screenshots`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`Failed with ${response.status}`);
    return response.json();
  };
}

async function ourCall({ baseUrl, fetch }: Target): Promise<Call> {
  const { ScreenshotSets } = await ours();
  const client = new ScreenshotSets({ apiKey, baseUrl, ...(fetch === stub && { fetch }) });
  return () => client.screenshots.create(body);
}

async function openapiFetch(target: Target): Promise<Call> {
  type Client = { POST(path: string, init: object): Promise<{ data?: unknown }> };
  const { default: createClient } = await peer<{ default: (options: object) => Client }>("openapi-fetch");
  const client = createClient({ ...target, headers: { authorization: `Bearer ${apiKey}` } });
  return () => client.POST("/public/v1/screenshots", { body });
}

async function replicate(target: Target): Promise<Call> {
  type Client = { predictions: { create(options: object): Promise<unknown> } };
  const { default: Replicate } = await peer<{ default: new (options: object) => Client }>("replicate");
  const client = new Replicate({ auth: apiKey, ...target });
  return () => client.predictions.create({ version: "1", input: body });
}

async function openai({ baseUrl, fetch }: Target): Promise<Call> {
  type Client = { post(path: string, options: object): Promise<unknown> };
  const { default: OpenAi } = await peer<{ default: new (options: object) => Client }>("openai");
  const client = new OpenAi({ apiKey, baseURL: baseUrl, fetch });
  return () => client.post("/public/v1/screenshots", { body });
}

const contestants = async (target: Target) => ({
  "bare fetch": bareFetch(target),
  // No peer, but the floor that the package stands on.
  "openapi-fetch": await openapiFetch(target),
  "screenshot-sets": await ourCall(target),
  replicate: await replicate(target),
  openai: await openai(target),
});

/** Over HTTP to a server in a process of its own. */
async function overLoopback(): Promise<Timing[]> {
  const server = fork(new URL("../loopback-server.ts", import.meta.url));
  try {
    const [port] = await once(server, "message");
    const target = { baseUrl: `http://127.0.0.1:${port}/api/v1`, fetch: globalThis.fetch };
    const spentUs = () => {
      const { user, system } = process.cpuUsage();
      return user + system;
    };
    return await compare(await contestants(target), { rounds: 15, calls: 1_000, spentUs });
  } finally {
    server.disconnect();
  }
}

export const part: Part = {
  name: "calls",
  title: "What a call costs",
  async run() {
    const loopback = await overLoopback();
    const stubbed = await compare(
      await contestants({ baseUrl: "https://service.test/api/v1", fetch: stub as typeof globalThis.fetch }),
      { rounds: 15, calls: 2_000 },
    );
    const ratio = (timings: Timing[], name: string) =>
      timings.find((timing) => timing.name === name)?.ratio ?? Number.NaN;
    const overFloor = ratio(stubbed, "screenshot-sets") / ratio(stubbed, "openapi-fetch");
    return {
      columns: ["", "CPU µs a request", "÷ bare fetch", "over a stub, µs", "÷ bare stubbed fetch"],
      rows: loopback.map(({ name, microseconds, ratio }, index) => {
        const stub = stubbed[index] as Timing;
        return [name, microseconds, ratio, stub.microseconds, stub.ratio];
      }),
      goals: [
        { name: "CPU ÷ bare fetch", measured: ratio(loopback, "screenshot-sets"), atMost: 1.35 },
        { name: "over a stub, ÷ openapi-fetch", measured: overFloor, atMost: 1 },
      ],
      notes: [
        "One POST with JSON both ways: `screenshots.create` with every check on, and its equivalents, one call after the other.",
        "The first columns count the CPU time of the calling process over loopback HTTP, with the server in another process. The last ones are the time by the clock over a `fetch` that answers at once with a real `Response`: nobody feels that difference, as a socket costs ten times as much.",
        "Medians of 15 rounds of 1,000 and 2,000 calls in turns; each ratio is the median of the rounds' ratios.",
      ],
    };
  },
};
