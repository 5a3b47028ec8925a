import { inspect } from "node:util";
import { type ClientOptions, ConfigurationError, ScreenshotSets } from "screenshot-sets";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";

const good = { apiKey: "sk_live_0123456789", baseUrl: "https://example.com/api/v1" };

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

// biome-ignore lint/suspicious/noExplicitAny: tests look into what is thrown, whatever it is
function thrownBy(options: ClientOptions): any {
  try {
    new ScreenshotSets(options);
  } catch (error) {
    return error;
  }
  throw new Error("Expected the constructor to throw");
}

/** The URL and headers of a call that a client with these options makes. */
async function sent(options: ClientOptions) {
  const requests: { url: string; headers: Record<string, string> }[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    requests.push({ url: String(url), headers: init?.headers as Record<string, string> });
    return new Response(null, { status: 404 });
  };
  await new ScreenshotSets({ ...options, fetch }).jobs.get("job").catch(() => {});
  return requests[0];
}

describe("refuses without repeating it", () => {
  const secret = "hidden-value";
  const wrong: [what: string, options: ClientOptions][] = [
    ["a key with a space", { apiKey: `${secret} x` }],
    ["a key with a line break", { apiKey: `${secret}\n` }],
    ["a key beyond ASCII", { apiKey: `${secret}é` }],
    ["a key that is no string", { apiKey: { secret } as never }],
    ["a relative base URL", { baseUrl: `/${secret}` }],
    ["white space before the base URL", { baseUrl: ` https://${secret}.com/` }],
    ["another protocol", { baseUrl: `ftp://${secret}/` }],
    ["plain http to a host that is not loopback", { baseUrl: `http://${secret}.com/api/v1` }],
    ["plain http to a name that only begins like loopback", { baseUrl: `http://127.0.0.1.${secret}.com/` }],
    ["user information", { baseUrl: `https://user:${secret}@example.com/` }],
    ["a password alone", { baseUrl: `https://:${secret}@example.com/` }],
    ["a user after three slashes", { baseUrl: `https:///${secret}@example.com/` }],
    ["a password after three slashes", { baseUrl: `https:///:${secret}@example.com/` }],
    ["empty user information", { baseUrl: `https://@${secret}.com/` }],
    ["an empty user and password", { baseUrl: `https://:@${secret}.com/` }],
    ["a query", { baseUrl: `https://example.com/api/v1?${secret}` }],
    ["an empty query", { baseUrl: `https://${secret}.com/api/v1?` }],
    ["a fragment", { baseUrl: `https://example.com/api/v1#${secret}` }],
    ["another header", { authHeader: secret as never }],
    ["a negative time-out", { timeoutMs: -1 }],
    ["a time-out that is no number", { timeoutMs: Number.NaN }],
    ["half a retry", { maxRetries: 0.5 }],
    ["a negative number of retries", { maxRetries: -1 }],
    ["an endless number of retries", { maxRetries: Number.POSITIVE_INFINITY }],
    ["a time-out in words", { timeoutMs: secret as never }],
    ["a fetch that is no function", { fetch: secret as never }],
    ["a clock without a sleep", { clock: { now: () => 0 } as never }],
    ["an empty name of a header", { authHeader: "" as never }],
    ["a logger without a level", { logger: { debug() {}, info() {}, warn() {} } as never }],
  ];
  test.each(wrong)("%s", (_, options) => {
    const error = thrownBy({ ...good, ...options });
    expect(error.constructor).toBe(ConfigurationError);
    expect(error).toMatchObject({ name: "ConfigurationError", charged: "no" });
    expect(inspect(error, { depth: 10, showHidden: true }) + JSON.stringify(error)).not.toContain(secret);
  });

  test.each([
    ["SCREENSHOT_SETS_API_KEY", `${secret}\t`],
    ["SCREENSHOT_SETS_BASE_URL", `http://${secret}.example`],
  ])("what %s holds", (variable, value) => {
    vi.stubEnv("SCREENSHOT_SETS_API_KEY", good.apiKey);
    vi.stubEnv("SCREENSHOT_SETS_BASE_URL", good.baseUrl);
    vi.stubEnv(variable, value);
    const error = thrownBy({});
    expect(error.constructor).toBe(ConfigurationError);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret);
  });
});

const headers = '"authorization" or "x-api-key"';
const clock = "an object with `now` and `sleep`";
const logger = "an object with `debug`, `info`, `warn` and `error`";
const ms = "a number of milliseconds, 0 or more";
const key = "an API key of visible ASCII characters";
const address = "Expected `baseUrl` to be the service's address, such as https://api.example.com/api/v1, but";
const said: [options: object, message: string][] = [
  [{ authHeader: "cookie" }, `Expected \`authHeader\` to be ${headers}, got a string.`],
  [{ authHeader: null }, `Expected \`authHeader\` to be ${headers}, got null.`],
  [{ fetch: {} }, "Expected `fetch` to be a function, got an object."],
  [{ fetch: null }, "Expected `fetch` to be a function, got null."],
  [{ clock: null }, `Expected \`clock\` to be ${clock}, got null.`],
  [{ clock: { now: () => 0 } }, `Expected \`clock\` to be ${clock}, got an object.`],
  [{ clock: { sleep: async () => {} } }, `Expected \`clock\` to be ${clock}, got an object.`],
  [{ logger: null }, `Expected \`logger\` to be ${logger}, got null.`],
  ...["debug", "info", "warn", "error"].map((level): [object, string] => [
    { logger: { ...console, [level]: undefined } },
    `Expected \`logger\` to be ${logger}, got an object.`,
  ]),
  [{ timeoutMs: -1 }, `Expected \`timeoutMs\` to be ${ms}, got -1.`],
  [{ timeoutMs: Number.NaN }, `Expected \`timeoutMs\` to be ${ms}, got NaN.`],
  [{ timeoutMs: "7" }, `Expected \`timeoutMs\` to be ${ms}, got a string.`],
  [{ maxRetries: 0.5 }, "Expected `maxRetries` to be a non-negative integer, got 0.5."],
  [{ maxRetries: -1 }, "Expected `maxRetries` to be a non-negative integer, got -1."],
  [{ maxRetries: "2" }, "Expected `maxRetries` to be a non-negative integer, got a string."],
  [{ apiKey: "a b" }, `Expected \`apiKey\` to be ${key}, but it has white space in it.`],
  [{ apiKey: "" }, `Expected \`apiKey\` to be ${key}, got an empty string.`],
  [{ apiKey: 7 }, `Expected \`apiKey\` to be ${key}, got a number.`],
  [{ baseUrl: "api/v1" }, `${address} it has no scheme: begin it with https://.`],
  [
    { baseUrl: "https://example.com/?" },
    `${address} it holds user information, a query or a fragment: remove it.`,
  ],
  [
    { baseUrl: "http://example.com/" },
    "Refused `baseUrl`, which would send the API key unencrypted. Use https; plain http is allowed to loopback hosts only.",
  ],
];

test.each(said)("says of %o what was expected", (options, message) => {
  expect(thrownBy({ ...good, ...options }).message).toBe(message);
});

test("says that options are no object", () => {
  vi.stubEnv("SCREENSHOT_SETS_API_KEY", good.apiKey);
  vi.stubEnv("SCREENSHOT_SETS_BASE_URL", good.baseUrl);
  expect(thrownBy("options" as never).message).toBe(
    "Expected the options of `ScreenshotSets` to be an object, got a string.",
  );
});

test("takes a logger of all four levels", () => {
  expect(() => new ScreenshotSets({ ...good, logger: console })).not.toThrow();
});

test("says where a malformed key came from, and what an address or a key is missing from", () => {
  vi.stubEnv("SCREENSHOT_SETS_API_KEY", "a b");
  expect(thrownBy({ baseUrl: good.baseUrl }).message).toBe(
    `Expected SCREENSHOT_SETS_API_KEY to be ${key}, but it has white space in it.`,
  );
  vi.stubEnv("SCREENSHOT_SETS_API_KEY", "");
  expect(thrownBy({ baseUrl: good.baseUrl }).message).toBe(
    "The API key is missing. Set the environment variable SCREENSHOT_SETS_API_KEY or pass `apiKey`.",
  );
  vi.stubEnv("SCREENSHOT_SETS_BASE_URL", "");
  expect(thrownBy({ apiKey: good.apiKey }).message).toBe(
    "The base URL is missing. Set the environment variable SCREENSHOT_SETS_BASE_URL or pass `baseUrl`, the service's address ending in /api/v1.",
  );
});

test.each([0, 0.5, 7, Number.POSITIVE_INFINITY])("takes a time-out of %s ms", (timeoutMs) => {
  expect(() => new ScreenshotSets({ ...good, timeoutMs })).not.toThrow();
});

test("a key that is given comes before the environment's, and so does an address", async () => {
  vi.stubEnv("SCREENSHOT_SETS_API_KEY", "sk_live_environment");
  vi.stubEnv("SCREENSHOT_SETS_BASE_URL", "https://environment.example/api/v1");
  const request = await sent(good);
  expect(request?.url).toMatch(/^https:\/\/example\.com\/api\/v1\//);
  expect(request?.headers).toMatchObject({ authorization: `Bearer ${good.apiKey}` });
});

test.each([
  ...[
    "http://0.0.0.0/",
    "http://10.0.0.1/",
    "http://128.0.0.1/",
    "http://1270.0.0.1.example/",
    "http://[::]/",
  ],
  ...["http://[::ffff:127.0.0.1]/", "http://localhost.example/", "http://notlocalhost/", "http://[fe80::1]/"],
  ...[
    "http://@localhost/",
    "http://127.0.0.1@example.com/",
    "http://example.com\\@localhost/",
    "HTTP://EXAMPLE.COM/",
  ],
])("refuses plain http to %s", (baseUrl) => {
  expect(thrownBy({ ...good, baseUrl }).message).toMatch(/unencrypted|user information/);
});

test.each([
  "",
  "api/v1",
  "//example.com",
  "https:example.com",
  "https:/example.com",
  "file:///etc",
  "http://",
  7,
  null,
  {},
  new URL("https://example.com/api/v1"),
])("refuses %o for a base URL", (baseUrl) => {
  vi.stubEnv("SCREENSHOT_SETS_BASE_URL", "");
  expect(thrownBy({ ...good, baseUrl: baseUrl as string }).constructor).toBe(ConfigurationError);
});

test.each([
  ...[
    "http://0x7f.1/",
    "http://2130706433/",
    "http://127.1/",
    "http://[0:0:0:0:0:0:0:1]/",
    "HTTP://LocalHost/",
  ],
  "http://localhost:4010/api/v1",
  "http://mock.localhost/api",
  "http://127.8.9.1:80",
  "http://127.0.0.10/",
  "http://[::1]:4010/",
])("takes plain http to %s", (baseUrl) => {
  expect(() => new ScreenshotSets({ ...good, baseUrl })).not.toThrow();
});

test.each([
  ["https://example.com/api/v1", "https://example.com/api/v1/public/v1/jobs/job"],
  ["https://example.com/api/v1/", "https://example.com/api/v1/public/v1/jobs/job"],
  ["https://example.com:8443", "https://example.com:8443/public/v1/jobs/job"],
  ["https://EXAMPLE.com/a%20b/../api/v1", "https://example.com/api/v1/public/v1/jobs/job"],
  [
    "https://example.com/https://user@host/api/v1",
    "https://example.com/https://user@host/api/v1/public/v1/jobs/job",
  ],
  ["https://example.com/proxy/api/v1//", "https://example.com/proxy/api/v1/public/v1/jobs/job"],
])("calls below %s", async (baseUrl, url) => {
  expect((await sent({ ...good, baseUrl }))?.url).toBe(url);
});

test("reads the key and the address from the environment", async () => {
  vi.stubEnv("SCREENSHOT_SETS_API_KEY", "sk_live_environment");
  vi.stubEnv("SCREENSHOT_SETS_BASE_URL", "https://environment.example/api/v1");
  const request = await sent({});
  expect(request?.url).toContain("https://environment.example/api/v1/");
  expect(request?.headers).toMatchObject({ authorization: "Bearer sk_live_environment" });
});

test.each([
  ["SCREENSHOT_SETS_API_KEY", { baseUrl: good.baseUrl }],
  ["SCREENSHOT_SETS_BASE_URL", { apiKey: good.apiKey }],
])("names %s when it is missing", (variable, options) => {
  vi.stubEnv(variable, "");
  expect(() => new ScreenshotSets(options)).toThrow(new RegExp(`${variable}.*(apiKey|baseUrl)`));
});

test("looks up the global fetch at each call", async () => {
  const client = new ScreenshotSets({ ...good, maxRetries: 0 });
  vi.stubGlobal(
    "fetch",
    async () => new Response(JSON.stringify({ message: "from the mock" }), { status: 404 }),
  );
  await expect(client.jobs.get("job")).rejects.toThrow("from the mock");
});

test("refuses to run in a worker of a page, unless told to", () => {
  vi.stubGlobal("importScripts", () => {});
  expect(thrownBy(good).message).toMatch(/^Refused to run in a browser/);
  expect(() => new ScreenshotSets({ ...good, dangerouslyAllowBrowser: true })).not.toThrow();
});

test("runs on Cloudflare Workers of before 2024-03-04, which have `importScripts` too", () => {
  vi.stubGlobal("importScripts", () => {});
  vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" });
  expect(() => new ScreenshotSets(good)).not.toThrow();
});

test("refuses to run in a browser, unless told to", () => {
  vi.stubGlobal("window", {});
  expect(() => new ScreenshotSets(good)).not.toThrow();
  vi.stubGlobal("document", {});
  expect(thrownBy(good).message).toBe(
    "Refused to run in a browser, where anyone can read the API key. Call the service from a server, or set `dangerouslyAllowBrowser: true` if you accept that risk.",
  );
  expect(thrownBy({ ...good, dangerouslyAllowBrowser: 1 as never })).toBeInstanceOf(ConfigurationError);
  expect(() => new ScreenshotSets({ ...good, dangerouslyAllowBrowser: true })).not.toThrow();
  vi.stubGlobal("document", undefined);
  expect(() => new ScreenshotSets(good)).not.toThrow();
  vi.stubGlobal("window", { document: {} });
  expect(() => new ScreenshotSets(good)).toThrow(ConfigurationError);
});

test("runs on a server that defines a browser's globals as undefined", () => {
  vi.stubGlobal("window", undefined);
  vi.stubGlobal("document", undefined);
  expect(() => new ScreenshotSets(good)).not.toThrow();
  vi.stubGlobal("document", {});
  expect(() => new ScreenshotSets(good)).not.toThrow();
});

test("a runtime without `process` has no environment", () => {
  vi.stubGlobal("process", undefined);
  expect(thrownBy({ baseUrl: good.baseUrl }).message).toMatch(/^The API key is missing/);
  vi.stubGlobal("process", {});
  expect(thrownBy({ baseUrl: good.baseUrl }).message).toMatch(/^The API key is missing/);
  expect(() => new ScreenshotSets(good)).not.toThrow();
});

test.each(["apiKey", "baseUrl"])(
  "a %s of null is refused, and never replaced by the environment's",
  (name) => {
    vi.stubEnv("SCREENSHOT_SETS_API_KEY", good.apiKey);
    vi.stubEnv("SCREENSHOT_SETS_BASE_URL", good.baseUrl);
    const options = { ...good, [name]: null };
    expect(thrownBy(options as never).message).toContain(`Expected \`${name}\` to be`);
    expect(() => new ScreenshotSets(good).withOptions({ [name]: null } as never)).toThrow(ConfigurationError);
  },
);

test("needs no access to the environment for a key and an address that are given", () => {
  const env = {
    get(): never {
      throw new Error("Requires env access, run again with the --allow-env flag");
    },
  };
  vi.stubGlobal("process", Object.create(process, { env }));
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(() => new ScreenshotSets(good)).not.toThrow();
  expect(thrownBy({ baseUrl: good.baseUrl }).message).toContain("The API key is missing.");
});
