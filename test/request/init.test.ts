import { ScreenshotSets } from "screenshot-sets";
import { version } from "screenshot-sets/package.json";
import { expect, test, vi } from "vitest";
import { rejection } from "../helpers/rejection.js";

const settings = { apiKey: "key_of_a_test", baseUrl: "https://example.com/api/v1" };

/** What a `fetch` that never answers was given, and what ends the call. */
async function hangingCall(wrap: (init: RequestInit) => RequestInit) {
  const given: RequestInit[] = [];
  const controller = new AbortController();
  const client = new ScreenshotSets({
    ...settings,
    fetch: (_url, init) => {
      given.push(wrap(init as RequestInit));
      return new Promise(() => {});
    },
  });
  const failed = rejection(client.jobs.get("job_1", { signal: controller.signal }));
  await expect.poll(() => given).toHaveLength(1);
  return { init: given[0] as RequestInit, controller, failed };
}

test("a wrapper that passes on a copy of what it was given passes on the signal", async () => {
  const { init, controller, failed } = await hangingCall((given) => ({ ...given }));
  expect(init.signal).toBeInstanceOf(AbortSignal);
  controller.abort();
  await failed;
  expect(init.signal?.aborted).toBe(true);
});

test("a wrapper may look at the signal more than once, and late", async () => {
  const { init, controller, failed } = await hangingCall((given) => given);
  controller.abort();
  await failed;
  expect(init.signal).toMatchObject({ aborted: true, reason: "the call was aborted" });
  expect(init.signal).toBe(init.signal);
});

test("a wrapper may put a signal of its own in place", async () => {
  const own = AbortSignal.abort();
  const { init, controller, failed } = await hangingCall((given) => {
    given.signal = own;
    return given;
  });
  expect(init.signal).toBe(own);
  expect({ ...init }.signal).toBe(own);
  init.signal = null;
  expect(init.signal).toBe(null);
  controller.abort();
  await failed;
});

test.each([
  ["authorization", "Bearer key_of_a_test"],
  ["x-api-key", "key_of_a_test"],
] as const)(
  "sends the key as %s, takes JSON, and says so of a body that is JSON",
  async (authHeader, key) => {
    const given: RequestInit[] = [];
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      given.push(init as RequestInit);
      return new Response(null, { status: 404 });
    };
    const client = new ScreenshotSets({ ...settings, authHeader, fetch });
    await rejection(client.jobs.get("job_1"));
    await rejection(client.screenshots.create({ appId: "app_1", device: "iphone-69", count: 3 }));
    const agent = `screenshot-sets/${version}`;
    const headers = { accept: "application/json", "user-agent": agent, [authHeader]: key };
    expect(given.map((init) => init.headers)).toEqual([
      headers,
      { ...headers, "content-type": "application/json" },
    ]);
    expect(given[1]).toMatchObject({
      method: "POST",
      body: '{"appId":"app_1","device":"iphone-69","count":3}',
    });
  },
);

test("follows no redirect, takes nothing from a cache, and sends a body only where there is one", async () => {
  const { init, controller, failed } = await hangingCall((given) => given);
  expect(init).toMatchObject({ method: "GET", redirect: "manual", cache: "no-store" });
  expect(Object.keys(init)).not.toContain("body");
  controller.abort();
  await failed;
});

test.each([
  ["asks nothing of a cache where the platform has no such field, and would refuse it", class {}, false],
  ["takes nothing from a cache where the global `Request` is hidden", undefined, true],
])("%s", async (_, request, hasCache) => {
  vi.stubGlobal("Request", request);
  const { init, controller, failed } = await hangingCall((given) => given);
  vi.unstubAllGlobals();
  expect("cache" in init).toBe(hasCache);
  controller.abort();
  await failed;
});
