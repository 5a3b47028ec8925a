import { ScreenshotSets } from "screenshot-sets";
import { version } from "screenshot-sets/package.json";
import { expect, test, vi } from "vitest";
import { goodBody, outcomeOf } from "../helpers/outcome-of.js";
import { rawServer, reply } from "../helpers/raw-server.js";
import { rejection } from "../helpers/rejection.js";

const settings = { apiKey: "key_of_a_test", baseUrl: "https://example.com/api/v1" };

test.each([
  ["authorization", "Bearer key_of_a_test"],
  ["x-api-key", "key_of_a_test"],
] as const)("the key is sent as %s and nowhere else, and the body as JSON", async (authHeader, key) => {
  const given: [url: unknown, init: RequestInit | undefined][] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    given.push([url, init]);
    return new Response(null, { status: 404 });
  };
  const client = new ScreenshotSets({ ...settings, authHeader, fetch });
  const set = { appId: "app_1", device: "iphone-69", count: 3 } as const;
  await rejection(client.jobs.get("job_1"));
  await rejection(client.screenshots.create(set));
  const agent = `screenshot-sets/${version}`;
  const headers = { accept: "application/json", "user-agent": agent, [authHeader]: key };
  // No redirect is followed, and no answer comes from a cache.
  const always = { redirect: "manual", cache: "no-store", signal: expect.any(AbortSignal) };
  const posted = { ...headers, "content-type": "application/json" };
  expect(given).toEqual([
    [`${settings.baseUrl}/public/v1/jobs/job_1`, { method: "GET", headers, ...always }],
    [
      `${settings.baseUrl}/public/v1/screenshots`,
      { method: "POST", headers: posted, body: expect.any(String), ...always },
    ],
  ]);
  expect(Object.keys(given[0]?.[1] ?? {})).not.toContain("body");
  expect(JSON.parse(String(given[1]?.[1]?.body))).toEqual(set);
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
