import { type ClientOptions, ScreenshotSets } from "screenshot-sets";
import { afterEach, describe, expect, test, vi } from "vitest";

// What a client takes; `mistaken-options.test.ts` has what it refuses.

const good = { apiKey: "sk_live_0123456789", baseUrl: "https://example.com/api/v1" };
const environment = { apiKey: "sk_live_environment", baseUrl: "https://environment.example/api/v1" };

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

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

describe("the environment", () => {
  test("has the key and the address that were not given", async () => {
    vi.stubEnv("SCREENSHOT_SETS_API_KEY", environment.apiKey);
    vi.stubEnv("SCREENSHOT_SETS_BASE_URL", environment.baseUrl);
    for (const [options, used] of [
      [{}, environment],
      [{ apiKey: undefined, baseUrl: undefined }, environment],
      [good, good],
    ] as const) {
      const { url, headers } = await sent(options);
      expect(url).toBe(`${used.baseUrl}/public/v1/jobs/job`);
      expect(headers.authorization).toBe(`Bearer ${used.apiKey}`);
    }
  });

  test.each<[what: string, process: unknown]>([
    ["there is none", undefined],
    [
      "nobody may read it",
      {
        get env() {
          throw new Error("Requires env access");
        },
      },
    ],
  ])("is not needed where both are given, and %s", (_, process) => {
    vi.stubGlobal("process", process);
    expect(() => new ScreenshotSets(good)).not.toThrow();
    expect(() => new ScreenshotSets({ baseUrl: good.baseUrl })).toThrow("The API key is missing");
  });
});

test.each([
  ["http://localhost:4010/api/v1"],
  ["http://mock.localhost/api"],
  ["http://127.8.9.1:80"],
  ["http://[::1]:4010/"],
  ["http://2130706433/"],
  ["HTTP://LocalHost/"],
])("plain http is allowed to the loopback address %s", (baseUrl) => {
  expect(() => new ScreenshotSets({ ...good, baseUrl })).not.toThrow();
});

test("plain http is allowed to any host with `dangerouslyAllowHttp`, also through `withOptions`", async () => {
  const options = { ...good, baseUrl: "http://mock:4010/api/v1", dangerouslyAllowHttp: true };
  expect((await sent(options)).url).toBe("http://mock:4010/api/v1/public/v1/jobs/job");
  expect(() => new ScreenshotSets(options).withOptions({ maxRetries: 0 })).not.toThrow();
});

test.each([
  ["https://example.com/api/v1/", "https://example.com/api/v1/public/v1/jobs/job"],
  ["https://example.com:8443", "https://example.com:8443/public/v1/jobs/job"],
  ["https://EXAMPLE.com/a%20b/../api/v1", "https://example.com/api/v1/public/v1/jobs/job"],
  ["https://example.com/proxy/api/v1//", "https://example.com/proxy/api/v1/public/v1/jobs/job"],
])("calls go below %s", async (baseUrl, url) => {
  expect((await sent({ ...good, baseUrl })).url).toBe(url);
});
