import { type ClientOptions, ConfigurationError, ScreenshotSets } from "screenshot-sets";
import { expect, test, vi } from "vitest";

// What a client takes; `mistaken-options.test.ts` has what it refuses.

const good = { apiKey: "sk_live_0123456789", baseUrl: "https://example.com/api/v1" };

/** The URL and headers of a call that a client with these options makes. */
async function sent(options: ClientOptions) {
  let request = { url: "", headers: {} as Record<string, string> };
  const fetch: typeof globalThis.fetch = async (url, init) => {
    request = { url: String(url), headers: init?.headers as Record<string, string> };
    return new Response(null, { status: 404 });
  };
  await new ScreenshotSets({ ...options, fetch }).jobs.get("job").catch(() => {});
  return request;
}

test("the key and the address that were not given are the environment's", async () => {
  const environment = { apiKey: "sk_live_environment", baseUrl: "https://environment.example/api/v1" };
  vi.stubEnv("SCREENSHOT_SETS_API_KEY", environment.apiKey);
  vi.stubEnv("SCREENSHOT_SETS_BASE_URL", environment.baseUrl);
  for (const [options, used] of [
    [{ apiKey: undefined, baseUrl: undefined }, environment],
    [good, good],
  ] as const) {
    const { url, headers } = await sent(options);
    expect(url).toBe(`${used.baseUrl}/public/v1/jobs/job`);
    expect(headers.authorization).toBe(`Bearer ${used.apiKey}`);
  }
});

const unreadable = {
  get env() {
    throw new Error("Requires env access");
  },
};
test.each([undefined, unreadable])("no environment is needed where both are given (%#)", (process) => {
  vi.stubGlobal("process", process);
  expect(() => new ScreenshotSets(good)).not.toThrow();
  expect(() => new ScreenshotSets({ baseUrl: good.baseUrl })).toThrow("The API key is missing");
});

test.each<[baseUrl: string, address: string, more?: ClientOptions]>([
  ["https://example.com/api/v1/", "https://example.com/api/v1"],
  ["https://example.com:8443", "https://example.com:8443"],
  ["https://EXAMPLE.com/a%20b/../api/v1", "https://example.com/api/v1"],
  ["https://example.com/proxy/api/v1//", "https://example.com/proxy/api/v1"],
  ["HTTP://LocalHost:4010/api/v1", "http://localhost:4010/api/v1"],
  ["http://mock.localhost/api", "http://mock.localhost/api"],
  ["http://127.80.9.1:80", "http://127.80.9.1"],
  ["http://2130706433/", "http://127.0.0.1"],
  ["http://[::1]:4010/", "http://[::1]:4010"],
  ["http://mock:4010/api", "http://mock:4010/api", { dangerouslyAllowHttp: true }],
])("calls go below %s", async (baseUrl, address, more = {}) => {
  const options = { ...good, baseUrl, ...more };
  expect((await sent(options)).url).toBe(`${address}/public/v1/jobs/job`);
  expect(() => new ScreenshotSets(options).withOptions({ maxRetries: 0 })).not.toThrow();
});

const page = { window: { document: {} }, document: {} };
const agent = (userAgent: string) => ({ navigator: { userAgent } });

/** A client where the platform has these globals. */
function clientWith(globals: object, more: object = {}) {
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  return new ScreenshotSets({ ...good, ...more });
}

const ofJsdom = { ...agent("Mozilla/5.0 jsdom/26.1.0"), jsdom: {} };
test.each<[where: string, globals: object]>([
  ["on a page", { window: { document: {} } }],
  ["in a worker of a page", { importScripts() {} }],
  ["in a browser", { ...page, ...agent("Mozilla/5.0 (X11; Linux x86_64) Chrome/150.0.0.0 Safari/537.36") }],
  ["in a window of Electron, which has Node", { ...page, ...agent("Chrome/150.0.0.0 Electron/41.0.0") }],
  ...[undefined, {}, { versions: {} }, { versions: { node: "" } }].map((process): [string, object] => [
    `in a browser that calls itself jsdom, where \`process\` is ${JSON.stringify(process)}`,
    { ...page, ...ofJsdom, process },
  ]),
])("a client is refused %s, unless it is allowed", (_, globals) => {
  const refused =
    /^Refused to run in a browser, where anyone can read the API key\. .*dangerouslyAllowBrowser/;
  expect(() => clientWith(globals)).toThrow(ConfigurationError);
  expect(() => clientWith(globals)).toThrow(refused);
  expect(() => clientWith(globals, { dangerouslyAllowBrowser: true })).not.toThrow();
});

const ofRunner = "Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko)";
const changed = agent("Mozilla/5.0 (iPhone) Safari/604.1");
test.each<[where: string, globals: object]>([
  ["a page that jsdom makes in Node", { ...page, ...agent(`${ofRunner} jsdom/26.1.0`) }],
  ["a page that happy-dom makes in Node", { ...page, ...agent(`${ofRunner} HappyDOM/20.0.0`) }],
  ["a page of jsdom whose user agent a test changed", { ...page, ...changed, jsdom: {} }],
  ["a page of happy-dom whose user agent a test changed", { ...page, ...changed, happyDOM: {} }],
  // Those of before 2024-03-04.
  ["a Cloudflare Worker with `importScripts`", { importScripts() {}, ...agent("Cloudflare-Workers") }],
  ["a server with a `window` alone", { window: {} }],
  ["a server with a `document` alone", { window: undefined, document: {} }],
])("%s is no browser", (_, globals) => {
  expect(() => clientWith(globals)).not.toThrow();
});

test("a page goes by its browser's name, which needs no leave of the service", async () => {
  for (const [name, value] of Object.entries(page)) vi.stubGlobal(name, value);
  const { headers } = await sent({ ...good, dangerouslyAllowBrowser: true });
  expect(headers).toEqual({ accept: "application/json", authorization: `Bearer ${good.apiKey}` });
});

test("reads each option once", () => {
  const reads: string[] = [];
  const given = { ...good, logger: false as const };
  const options = new Proxy(given, {
    get(target, name) {
      reads.push(String(name));
      return Reflect.get(target, name);
    },
  });
  new ScreenshotSets(options);
  const read = reads.filter((name) => name in given);
  expect(read.sort()).toEqual(Object.keys(given).sort());
});
