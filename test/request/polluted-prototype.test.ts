import { ConnectionError, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { documentedCredits } from "../helpers/documented-credits.js";
import { goodBody, outcomeOf } from "../helpers/outcome-of.js";
import { polluted } from "../helpers/polluted.js";
import { type Answer, rawServer, reply } from "../helpers/raw-server.js";

const refusal = { code: "ECONNREFUSED", syscall: "connect", errors: [] };

const unreadable = Object.defineProperty(new Error("lost"), "code", {
  get() {
    throw new Error("no");
  },
});

/** What each would say, were it an error's or an answer's own: that the service did not take the create. */
const fields: [field: string, value: unknown][] = [
  ["code", "ECONNREFUSED"],
  ["syscall", "connect"],
  ["message", "bad port"],
  ["cause", refusal],
  ["errors", [refusal]],
  ["status", 429],
  ["status", 401],
  ["status", 400],
];

describe.each(fields)("a create in a process whose Object.prototype has %s = %j", (field, value) => {
  const answers: [what: string, answer: Answer][] = [
    ["is reset", (socket) => socket.resetAndDestroy()],
    ["is answered with half a body", reply(201, "{", { "content-length": 9 })],
    ["is answered 500", reply(500)],
  ];
  test.each(answers)("is sent once and may have been charged when it %s", async (_, answer) => {
    const server = await rawServer(answer);
    let keys = 0;
    const apiKey = () => `sk_live_${keys++}_0123456789`;

    const { error } = await polluted(field, value, () =>
      outcomeOf("POST", { apiKey, baseUrl: server.baseUrl }),
    );

    expect(error.charged).toBe("maybe");
    expect(server.seen).toHaveLength(1);
  });

  test.each([
    ["undefined", undefined],
    ["a string", "lost"],
    ["an object", {}],
    ["an object without a prototype", Object.create(null)],
    ["an error", new Error("lost")],
    ["an error that cannot be read", unreadable],
  ])("may have been charged when its fetch rejects with %s", async (_, thrown) => {
    let sent = 0;
    const fetch = async () => {
      sent++;
      throw thrown;
    };
    const { error } = await polluted(field, value, () =>
      outcomeOf("POST", { baseUrl: "https://example.com/api/v1", fetch }),
    );
    expect(error.constructor).toBe(ConnectionError);
    expect(error.charged).toBe("maybe");
    expect(sent).toBe(1);
  });
});

test("a create that was taken is not sent again where Object.prototype has a status", async () => {
  const server = await rawServer(reply(201, goodBody));
  const { error } = await polluted("status", 429, () => outcomeOf("POST", { baseUrl: server.baseUrl }));
  expect(error.constructor).toBe(ConnectionError);
  expect(error).toMatchObject({ charged: "maybe", attempts: 1 });
  expect(error.message).toContain("a status, not that of `Object.prototype`");
  expect(server.seen).toHaveLength(1);
});

test.each([
  ["baseUrl", "https://example.net"],
  ["headers", { "x-extra": "1" }],
  ["header", { "x-extra": "1" }],
  ["querySerializer", () => "extra=1"],
  ["pathSerializer", () => "https://example.net/"],
  ["bodySerializer", () => "{}"],
  ["middleware", [{ onRequest: () => new Response("{}") }]],
  ["Request", Request],
  ["fetch", async () => new Response("{}")],
  ["toJSON", () => ({})],
])(
  "a create goes where and as it should in a process whose Object.prototype has %s",
  async (field, value) => {
    const settings = { apiKey: "key", baseUrl: "https://example.com/api/v1" };
    const body = { appId: "app_1", device: "iphone-69", count: 3 } as const;
    const sent: unknown[] = [];
    const fetch = async (url: unknown, init: RequestInit = {}) => {
      sent.push([url, { ...(init.headers as object) }, init.body]);
      return new Response(JSON.stringify({ jobId: "job_1", credits: documentedCredits(10, 0) }));
    };
    await polluted(field, value, () =>
      new ScreenshotSets({ ...settings, fetch }).screenshots.create(body).catch(() => {}),
    );
    const headers = {
      accept: "application/json",
      "user-agent": expect.stringMatching(/^screenshot-sets\//),
      authorization: "Bearer key",
      "content-type": "application/json",
    };
    const [url, text] = [`${settings.baseUrl}/public/v1/screenshots`, JSON.stringify(body)];
    expect(sent).toEqual([[url, headers, text]]);
  },
);

test.each([
  ["count", 3],
  ["captionStyle", "not the caller's"],
])("what is sent for a set is what was handed over where Object.prototype has a %s", async (field, value) => {
  const server = await rawServer(reply(201, goodBody));
  const given = { appId: "app_1", device: "iphone-69" } as const;
  const client = new ScreenshotSets({ apiKey: "key", baseUrl: server.baseUrl });
  await polluted(field, value, () => client.screenshots.create(given), true);
  const sent = JSON.parse(server.seen[0]?.body ?? "");
  expect(Object.keys(sent)).toEqual(["appId", "device", "count"]);
  expect(sent.count).not.toBe(value);
});

test("a field that Object.prototype has makes no query", async () => {
  const server = await rawServer(reply(200, goodBody));
  await polluted("extra", 1, () => outcomeOf("GET", { baseUrl: server.baseUrl }), true);
  expect(server.seen).toHaveLength(1);
  expect(server.seen[0]?.path).not.toContain("extra");
});

test.each([
  ["headers", { "x-extra": "1" }],
  ["signal", AbortSignal.abort("not by the caller")],
  ["maxRetries", -1],
  ["onAccepted", () => Promise.reject(new Error("not the caller's"))],
])("a set is planned by its own options in a process whose Object.prototype has %s", async (field, value) => {
  const mock = createMock();
  const sent: object[] = [];
  const fetch: typeof globalThis.fetch = (url, init) => {
    sent.push({ ...(init?.headers as object) });
    return mock.fetch(url, init);
  };
  const client = new ScreenshotSets({ ...mock.clientOptions, fetch });
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/x/id1" });
  const planned = polluted(field, value, () =>
    client.screenshots.createAndWait({ appId, device: "iphone-69" }, {}),
  );
  expect(await planned).toMatchObject({ status: "succeeded" });
  for (const headers of sent) expect(headers).not.toHaveProperty("x-extra");
});

test("a client made from another keeps the key of the environment in a process whose Object.prototype has one", async () => {
  const { apiKey, ...platform } = createMock().clientOptions;
  vi.stubEnv("SCREENSHOT_SETS_API_KEY", apiKey);
  onTestFinished(() => void vi.unstubAllEnvs());
  const client = await polluted("apiKey", "sk_live_of_another", async () =>
    new ScreenshotSets(platform).withOptions({ maxRetries: 0 }),
  );
  expect(await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/x/id1" })).toHaveProperty("appId");
});

test("a job that was charged is not lost where Object.prototype gets a field that loops see", async () => {
  const answer = () => new Response(JSON.stringify({ jobId: "job_1", credits: documentedCredits(10, 90) }));
  const fetch = async () => answer();
  const client = new ScreenshotSets({ apiKey: "key", baseUrl: "https://example.com/api/v1", fetch });
  const create = () => client.screenshots.create({ appId: "app_1", device: "iphone-69" });
  const outcome = await polluted(
    "extend",
    () => {},
    () => create().catch((error) => error),
    true,
  );
  expect(outcome).toMatchObject({ jobId: "job_1" });
});
