import { compare } from "../compare.js";
import { ours, peer } from "../contestants.js";
import type { Part } from "../part.js";

const baseUrl = "https://service.test/api/v1";
const apiKey = "key_0123456789abcdef0123456789abcdef";
const body = { appId: "app_1", device: "iphone-69", count: 5 } as const;
const answer = JSON.stringify({ jobId: "job_1", credits: { cost: 10, remaining: 90 } });

/** Answers at once, with a real `Response`. */
const fetch = async (): Promise<Response> =>
  new Response(answer, { status: 201, headers: { "content-type": "application/json" } });

type Call = () => Promise<unknown>;

/** What everyone writes who uses no SDK. */
async function bareFetch() {
  const send: typeof globalThis.fetch = fetch;
  const response = await send(`${baseUrl}/public/v1/screenshots`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`Failed with ${response.status}`);
  return response.json();
}

async function ourCall(): Promise<Call> {
  const { ScreenshotSets } = await ours();
  const client = new ScreenshotSets({ apiKey, baseUrl, fetch });
  return () => client.screenshots.create(body);
}

async function openapiFetch(): Promise<Call> {
  type Client = { POST(path: string, init: object): Promise<{ data?: unknown }> };
  const { default: createClient } = await peer<{ default: (options: object) => Client }>("openapi-fetch");
  const client = createClient({ baseUrl, fetch, headers: { authorization: `Bearer ${apiKey}` } });
  return () => client.POST("/public/v1/screenshots", { body });
}

async function replicate(): Promise<Call> {
  type Client = { predictions: { create(options: object): Promise<unknown> } };
  const { default: Replicate } = await peer<{ default: new (options: object) => Client }>("replicate");
  const client = new Replicate({ auth: apiKey, fetch });
  return () => client.predictions.create({ version: "1", input: body });
}

async function openai(): Promise<Call> {
  type Client = { post(path: string, options: object): Promise<unknown> };
  const { default: OpenAi } = await peer<{ default: new (options: object) => Client }>("openai");
  const client = new OpenAi({ apiKey, baseURL: baseUrl, fetch });
  return () => client.post("/public/v1/screenshots", { body });
}

/** Resend takes no `fetch`; it uses the global one. */
async function resend(): Promise<Call> {
  type Client = { post(path: string, body: object): Promise<unknown> };
  const { Resend } = await peer<{ Resend: new (key: string) => Client }>("resend");
  const client = new Resend(apiKey);
  return () => client.post("/public/v1/screenshots", body);
}

export const part: Part = {
  name: "calls",
  title: "What a call costs",
  async run() {
    const globalFetch = globalThis.fetch;
    globalThis.fetch = fetch;
    const timings = await compare(
      {
        "bare fetch": bareFetch,
        "screenshot-sets": await ourCall(),
        "openapi-fetch": await openapiFetch(),
        replicate: await replicate(),
        openai: await openai(),
        resend: await resend(),
      },
      { rounds: 21, calls: 2_000 },
    );
    globalThis.fetch = globalFetch;
    const ownRatio = timings.find(({ name }) => name === "screenshot-sets")?.ratio ?? Number.NaN;
    return {
      columns: ["", "µs a call", "÷ bare fetch"],
      rows: timings.map(({ name, microseconds, ratio }) => [name, microseconds, ratio]),
      goals: [{ name: "a call ÷ bare fetch", measured: ownRatio, atMost: 1.2 }],
      notes: [
        "One POST with JSON both ways over a stubbed `fetch` that answers at once with a real `Response`: `screenshots.create` with every check on, and its equivalents.",
        "Medians of 21 rounds of 2,000 calls; the ratio is the median of each round's ratio.",
      ],
    };
  },
};
