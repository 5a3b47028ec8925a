import * as fc from "fast-check";
import { ScreenshotSets } from "screenshot-sets";
import type { MockClientOptions, RecordedRefusal } from "screenshot-sets/mock";

/** A service as drawn: what it refuses, and how its sets go. */
export interface Service {
  refusals: Record<string, RecordedRefusal>;
  set: { cost: number; states: string[]; slides: unknown[]; error: unknown };
}

const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return text === "";
  }
};

const drawnRefusal = fc
  .tuple(
    fc.integer({ min: 300, max: 599 }),
    fc.oneof(
      fc.record({ body: fc.jsonValue() }),
      fc.record({ text: fc.string({ unit: "grapheme" }).filter((text) => !isJson(text)) }),
      fc.constant({}),
    ),
  )
  .map(([status, content]): RecordedRefusal => ({ status, ...content }));

const probes = ["createApp {}", "createScreenshots {}", "createScreenshots app", "getJob job"];
const keyless = ["createApp", "createScreenshots", "getJob"];
export const drawnService: fc.Arbitrary<Service> = fc.record({
  refusals: fc.record(
    Object.fromEntries(
      [...probes, ...keyless.flatMap((name) => [`${name} no key`, `${name} wrong key`])].map((name) => [
        name,
        drawnRefusal,
      ]),
    ),
  ),
  set: fc.record({
    cost: fc.oneof(fc.nat(200), fc.constantFrom(8.5, 1e9)),
    states: fc
      .tuple(
        fc.uniqueArray(fc.constantFrom("queued", "running", "planning", "…"), { maxLength: 3 }),
        fc.constantFrom("succeeded", "failed", "done", "broken"),
      )
      .map(([before, end]) => [...before, end]),
    slides: fc.array(fc.jsonValue(), { maxLength: 10 }),
    error: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.constant(null)),
  }),
});

/** The service as a `fetch`. */
export function played({ refusals, set }: Service): typeof fetch {
  let polls = 0;
  const refuse = (name: string) => {
    const { status, body, text = "" } = refusals[name] ?? { status: 500 };
    const sent = body === undefined ? text : JSON.stringify(body);
    return new Response(status === 304 ? null : sent, { status });
  };
  const job = () => {
    const status = set.states[Math.min(polls++, set.states.length - 1)] ?? "";
    const [isDone, isFailed] = [
      ["succeeded", "done"],
      ["failed", "broken"],
    ].map((ends) => ends.includes(status));
    const result = isDone ? { device: "iphone-69", slides: set.slides } : null;
    const body = { id: "job_1", status, result, error: isFailed ? set.error : null };
    // Only while it goes on: some jobs never end.
    return Response.json(body, { headers: polls < set.states.length ? { "retry-after": "0" } : {} });
  };
  const app = { appId: "app_1", name: "", category: "", artworkUrl: "" };
  const acceptance = { jobId: "job_1", credits: { cost: set.cost, remaining: 0 } };
  const answers: Record<string, (asked: { appId?: string }, id: string) => Response> = {
    createApp: () => Response.json(app),
    createScreenshots: ({ appId }) =>
      appId === "app_1" ? Response.json(acceptance, { status: 201 }) : refuse("createScreenshots app"),
    getJob: (_, id) => (id === "job_1" ? job() : refuse("getJob job")),
  };
  return async (input, init) => {
    const request = new Request(input, init);
    const id = new URL(request.url).pathname.split("/").at(-1) ?? "";
    if (id === "openapi.json") return Response.json({ openapi: "3.1.0" });
    const name = { apps: "createApp", screenshots: "createScreenshots" }[id] ?? "getJob";
    const key = request.headers.get("authorization") ?? request.headers.get("x-api-key");
    if (key !== "Bearer right-key" && key !== "right-key")
      return refuse(`${name} ${key ? "wrong" : "no"} key`);
    const text = await request.text();
    return text === "{}" ? refuse(`${name} {}`) : (answers[name]?.(JSON.parse(text || "{}"), id) as Response);
  };
}

type Platform = Pick<MockClientOptions, "apiKey" | "baseUrl" | "fetch" | "clock">;

/** What a program sees of a service: each refusal that it can provoke, and a set to its end. */
export async function program({ apiKey, ...platform }: Platform) {
  const client = new ScreenshotSets({ apiKey, ...platform });
  const stranger = client.withOptions({ apiKey: "wrong-key" });
  const params = { appId: "app_1", device: "iphone-69", count: 5 } as const;
  const seen: unknown[] = [];
  const told = ({ name, status, body, message, charged, isRetryable, job }: Record<string, unknown>) => ({
    name,
    status,
    body,
    message,
    charged,
    isRetryable,
    error: Object(job).error,
  });
  const see = (call: Promise<unknown>) =>
    call.then(
      (value) => seen.push(value),
      (error) => seen.push(told(error)),
    );
  for (const one of [stranger, client]) {
    await see(one.request("POST", "/public/v1/apps", { body: {} as never }));
    await see(one.request("POST", "/public/v1/screenshots", { body: {} as never }));
    await see(one.jobs.get("no-such-job"));
  }
  for (const [path, body] of [["apps", "{}"], ["screenshots", "{}"], ["jobs/no-such-job"]] as const) {
    const method = body === undefined ? "GET" : "POST";
    const response = await platform.fetch(`${platform.baseUrl}/public/v1/${path}`, {
      method,
      ...(body && { body }),
    });
    seen.push([response.status, await response.text()]);
  }
  await client.apps.create({ iosUrl: "https://apps.apple.com/app/id1" });
  await see(client.screenshots.create({ ...params, appId: "no-such-app" }));
  const onUpdate = ({ status }: { status: string }) => seen.push(status);
  const wait = client.screenshots.createAndWait(params, { onUpdate });
  await see(wait.then(({ status, result, credits }) => [status, result, credits.cost]));
  return seen;
}
