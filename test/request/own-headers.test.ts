import { ConfigurationError, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { version } from "screenshot-sets/package.json";
import { expect, onTestFinished, test, vi } from "vitest";
import { rejection } from "../helpers/rejection.js";

const apiKey = "sk_live_0123456789";
const baseUrl = "https://example.com/api/v1";

/** A client on the mock, and the headers of each request. */
function start(options: { headers?: Record<string, string> } = {}) {
  const mock = createMock();
  const sent: Record<string, string>[] = [];
  const fetch: typeof globalThis.fetch = (url, init) => {
    sent.push(init?.headers as Record<string, string>);
    return mock.fetch(url, init);
  };
  return { mock, sent, client: new ScreenshotSets({ ...mock.clientOptions, fetch, ...options }) };
}

const params = { appId: "app_1", device: "iphone-69" } as const;

test("every request, polls included, has the headers of the client and a name with the version", async () => {
  const { client, sent } = start({ headers: { "X-Team": "growth" } });
  await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/x/id1" });
  await client.screenshots.createAndWait(params, { headers: { "x-trace": "b" } });
  for (const headers of sent) {
    expect(headers).toMatchObject({ "x-team": "growth", "user-agent": `screenshot-sets/${version}` });
  }
  // Those of a create with a wait are sent with each poll, too.
  expect(sent.map((headers) => headers["x-trace"])).toEqual([undefined, "b", "b", "b", "b"]);
});

test("headers of a call come beside those of the client, and before those of the same name", async () => {
  const { client, sent } = start({ headers: { "x-team": "growth", "x-trace": "a" } });
  await client.apps.create(
    { iosUrl: "https://apps.apple.com/us/app/x/id1" },
    { headers: { "X-Trace": "b", "User-Agent": "shop/2 screenshot-sets", Accept: "text/plain" } },
  );
  expect(sent[0]).toMatchObject({
    ...{ "x-team": "growth", "x-trace": "b", "user-agent": "shop/2 screenshot-sets", accept: "text/plain" },
    "content-type": "application/json",
  });
  await rejection(client.jobs.get("job_1"));
  expect(sent[1]).toMatchObject({ "x-trace": "a" });
});

test("waits with headers of their own have polls of their own, and leave nothing behind", async () => {
  const { mock, client, sent } = start();
  await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/x/id1" });
  const { jobId } = await client.screenshots.create(params);
  sent.length = 0;
  const bare = [client.waitForJob(jobId), client.waitForJob(jobId)];
  const traces = ["a", "b"].map((trace) => client.waitForJob(jobId, { headers: { "x-trace": trace } }));
  await Promise.all([...bare, ...traces, client.waitForJob(jobId)]);
  const polls = (trace?: string) => sent.filter((headers) => headers["x-trace"] === trace);
  for (const trace of ["a", "b", undefined]) expect(polls(trace).length).toBeGreaterThan(0);
  expect(mock.requests({ operation: "getJob" })).toHaveLength(sent.length);
});

test("a page in a browser goes by the browser's name, which needs no leave of the service", async () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal("window", { document: {} });
  const sent: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (_, init) => {
    sent.push(init?.headers);
    return new Response(null, { status: 404 });
  };
  await rejection(
    new ScreenshotSets({ apiKey, baseUrl, fetch, dangerouslyAllowBrowser: true }).jobs.get("1"),
  );
  expect(sent).toEqual([{ accept: "application/json", authorization: `Bearer ${apiKey}` }]);
});

const secret = "hidden-value";
const made = "the client makes the body and what describes it";
const key = "the client sends the key, which it takes as `apiKey`";
const connection = "it is the connection's";
test.each<[headers: unknown, message: string]>([
  [{ Authorization: secret }, `Refused \`authorization\` among \`headers\`: ${key}.`],
  [{ "X-API-Key": secret }, `Refused \`x-api-key\` among \`headers\`: ${key}.`],
  [{ "Content-Type": secret }, `Refused \`content-type\` among \`headers\`: ${made}.`],
  [{ "transfer-encoding": "chunked" }, `Refused \`transfer-encoding\` among \`headers\`: ${made}.`],
  [{ Host: secret }, `Refused \`host\` among \`headers\`: ${connection}.`],
  [{ expect: "100-continue" }, `Refused \`expect\` among \`headers\`: ${connection}.`],
  [
    { "x-a": `${secret}\r\nx-b: 1` },
    "Expected `x-a` among `headers` to be Latin text on one line, but it holds a line break.",
  ],
  [
    { "x-a": `${secret}ł` },
    "Expected `x-a` among `headers` to be Latin text on one line, but it holds characters that no header can hold.",
  ],
  [{ "x-a": 7 }, "Expected `x-a` among `headers` to be a string, got 7."],
  [
    { [`x: ${secret}`]: "" },
    "Expected each name in `headers` to be one that HTTP allows: letters, digits and dashes.",
  ],
  [null, "Expected `headers` to be an object of names and values, got null."],
  [[["x-a", secret]], "Expected `headers` to be an object of names and values, got an array."],
  [
    new Headers(),
    "Expected `headers` to be an object of names and values, got a Headers. Pass `Object.fromEntries(headers)`.",
  ],
])(
  "headers %o are refused, by the client and by every call, before anything is sent",
  async (headers, message) => {
    const { client, sent } = start();
    const own = { headers: headers as Record<string, string> };
    expect(() => new ScreenshotSets({ apiKey, baseUrl, ...own })).toThrow(new ConfigurationError(message));
    expect(message).not.toContain(secret);
    for (const refused of [
      client.apps.create({ iosUrl: "https://apps.apple.com/us/app/x/id1" }, own),
      client.screenshots.createAndWait(params, own),
      client.waitForJob("job_1", own),
    ]) {
      const error = await rejection(refused);
      expect(error.constructor).toBe(ConfigurationError);
      expect(error.message).toBe(message);
    }
    expect(sent).toEqual([]);
  },
);
