import { ScreenshotSets } from "screenshot-sets";
import { version } from "screenshot-sets/package.json";
import { expect, test, vi } from "vitest";
import { goodBody, outcomeOf } from "../helpers/outcome-of.js";
import { rawServer, reply } from "../helpers/raw-server.js";
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
    expect(given[1]?.method).toBe("POST");
    expect(JSON.parse(String(given[1]?.body))).toEqual({ appId: "app_1", device: "iphone-69", count: 3 });
  },
);

test("follows no redirect, takes nothing from a cache, and sends a body only where there is one", async () => {
  const { init, controller, failed } = await hangingCall((given) => given);
  expect(init).toMatchObject({ method: "GET", redirect: "manual", cache: "no-store" });
  expect(Object.keys(init)).not.toContain("body");
  controller.abort();
  await failed;
});

test("a create is the same on the wire under Deno, whose fetch sends a text again after a reset, but not a Blob", async () => {
  const server = await rawServer(reply(201, goodBody));
  const bodies: unknown[] = [];
  const fetch: typeof globalThis.fetch = (url, init) => {
    bodies.push(init?.body);
    return globalThis.fetch(url, init);
  };
  await outcomeOf("POST", { baseUrl: server.baseUrl, fetch });
  vi.stubGlobal("Deno", {});
  const { value } = await outcomeOf("POST", { baseUrl: server.baseUrl, fetch });
  vi.unstubAllGlobals();
  expect(value).toEqual(goodBody);
  expect(bodies).toEqual([expect.any(String), expect.any(Blob)]);
  expect(server.seen[1]).toEqual(server.seen[0]);
});
