import { ours, ourUndici, peer } from "./contestants.js";

/** The target of calls: a server over a socket, or a stub. */
export interface Target {
  baseUrl: string;
  /** Answers in place of a network. */
  fetch?: typeof globalThis.fetch;
}

export type Call = () => Promise<unknown>;

const apiKey = "key_0123456789abcdef0123456789abcdef";
const body = { appId: "app_1", device: "iphone-69", count: 5 } as const;
const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
const path = "/public/v1/screenshots";

/** The code that everyone writes without an SDK. */
function bareFetch({ baseUrl, fetch = globalThis.fetch }: Target): Call {
  return async () => {
    const response = await fetch(baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`Failed with ${response.status}`);
    return response.json();
  };
}

/** The fastest code that Node's users write. */
async function bareUndici({ baseUrl }: Target): Promise<Call> {
  type Answer = { statusCode: number; body: { json(): Promise<unknown> } };
  type Undici = { request(url: string, init: object): Promise<Answer> };
  const { request } = await peer<Undici>("undici");
  return async () => {
    const answer = await request(baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (answer.statusCode !== 201) throw new Error(`Failed with ${answer.statusCode}`);
    return answer.body.json();
  };
}

async function ourCall(target: Target): Promise<Call> {
  const { ScreenshotSets } = await ours();
  const client = new ScreenshotSets({ apiKey, ...target });
  return () => client.screenshots.create(body);
}

async function ourCallOnUndici(target: Target): Promise<Call> {
  const { undiciFetch } = await ourUndici();
  return ourCall({ ...target, fetch: undiciFetch() });
}

/** Our `fetch` without the client. It offers what the client reads: a stream of the body. */
async function bareUndiciFetch({ baseUrl }: Target): Promise<Call> {
  const { undiciFetch } = await ourUndici();
  const fetch = undiciFetch();
  return async () => {
    const response = await fetch(baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (response.status !== 201) throw new Error(`Failed with ${response.status}`);
    let text = "";
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) text += chunk;
    return JSON.parse(text);
  };
}

async function openapiFetch(target: Target): Promise<Call> {
  type Client = { POST(path: string, init: object): Promise<{ data?: unknown }> };
  const { default: createClient } = await peer<{ default: (options: object) => Client }>("openapi-fetch");
  const client = createClient({ ...target, headers: { authorization: headers.authorization } });
  return () => client.POST(path, { body });
}

async function replicate(target: Target): Promise<Call> {
  type Client = { predictions: { create(options: object): Promise<unknown> } };
  const { default: Replicate } = await peer<{ default: new (options: object) => Client }>("replicate");
  const client = new Replicate({ auth: apiKey, ...target });
  return () => client.predictions.create({ version: "1", input: body });
}

/** The two SDKs that were made by the same generator. */
async function generated(name: string, { baseUrl, ...rest }: Target): Promise<Call> {
  type Client = { post(path: string, options: object): Promise<unknown> };
  const { default: Client } = await peer<{ default: new (options: object) => Client }>(name);
  const client = new Client({ apiKey, baseURL: baseUrl, ...rest });
  return () => client.post(path, { body });
}

async function resend({ baseUrl }: Target): Promise<Call> {
  type Client = { emails: { send(email: object): Promise<{ error: unknown }> } };
  const { Resend } = await peer<{ Resend: new (key: string, options: object) => Client }>("resend");
  const client = new Resend(apiKey, { baseUrl });
  const email = { from: "a@service.test", to: "b@service.test", subject: "Hello", text: "Hello" };
  return async () => {
    const { error } = await client.emails.send(email);
    if (error) throw new Error("resend failed", { cause: error });
  };
}

/** Uses `node:http`, its default. */
async function stripe({ baseUrl }: Target): Promise<Call> {
  type Client = { customers: { create(customer: object): Promise<unknown> } };
  const { default: Stripe } = await peer<{ default: new (key: string, options: object) => Client }>("stripe");
  const { hostname, port } = new URL(baseUrl);
  const client = new Stripe(apiKey, { host: hostname, port, protocol: "http", telemetry: false });
  return () => client.customers.create({ name: "A" });
}

/** The least expensive calls first, then the project, then its peers. */
export const callers: Record<string, (target: Target) => Call | Promise<Call>> = {
  "bare fetch": bareFetch,
  "undici.request": bareUndici,
  "openapi-fetch": openapiFetch,
  "screenshot-sets": ourCall,
  "screenshot-sets on undici": ourCallOnUndici,
  "undiciFetch alone": bareUndiciFetch,
  replicate,
  openai: (target) => generated("openai", target),
  "@runwayml/sdk": (target) => generated("@runwayml/sdk", target),
  resend,
  stripe,
};

/** The callers that can be given a `fetch`; first the one that the others are compared with. */
export const stubbable = [
  "openapi-fetch",
  "bare fetch",
  "screenshot-sets",
  "replicate",
  "openai",
  "@runwayml/sdk",
];
