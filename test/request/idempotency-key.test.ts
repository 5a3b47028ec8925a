import { devices, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { afterAll, beforeEach, expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { requireIdempotencyKey } from "../helpers/require-idempotency-key.js";

beforeEach(() => requireIdempotencyKey("idempotency-key"));
afterAll(() => requireIdempotencyKey(undefined));

const listing = { iosUrl: "https://apps.apple.com/app/id1" };
const operation = "createScreenshots";

/** A client on a mock that has an app, with the keys that its creates were sent with. */
async function onKeyedService() {
  const mock = createMock();
  const keys: (string | null)[] = [];
  const fetch: typeof globalThis.fetch = (url, init) => {
    if (init?.method === "POST") keys.push(new Headers(init.headers).get("idempotency-key"));
    return mock.fetch(url, init);
  };
  const client = new ScreenshotSets({ ...mock.clientOptions, fetch });
  const { appId } = await client.apps.create(listing);
  keys.length = 0;
  return { mock, keys, client, set: { appId, device: devices[0] } };
}

type Fault = Parameters<ReturnType<typeof createMock>["fault"]>[0];

test.each<[what: string, fault: Fault]>([
  ["a 503", { status: 503 }],
  ["a 408", { status: 408 }],
  ["a reset", "reset"],
  ["half an answer", "truncated"],
])("a set is sent again after %s, with the same key, and charged once", async (_, fault) => {
  const { mock, keys, client, set } = await onKeyedService();
  mock.fault(fault, { operation, when: "after" });
  const { jobId } = await client.screenshots.create(set);
  expect([jobId, mock.credits.used]).toEqual(["job_1", 10]);
  expect(keys).toEqual([keys[0], keys[0]]);
  expect(keys[0]).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
});

test.each<[what: string, second: Fault, error: object]>([
  ["no answer", "reset", { name: "ConnectionError", attempts: 2 }],
  ["a refusal", { status: 400 }, { status: 400, attempts: 2 }],
  ["a key function that fails", { status: 401 }, { name: "ConfigurationError" }],
])("an error after a reset and %s shows the key, and may have been charged", async (_, second, expected) => {
  const { mock, client, set } = await onKeyedService();
  mock.fault("reset", { operation, when: "after" });
  mock.fault(second, { operation });
  let asked = 0;
  const apiKey = () => (asked++ === 0 ? mock.clientOptions.apiKey : Promise.reject(new Error("no vault")));
  const headers = { "Idempotency-Key": "order-7" };
  const failing = client.withOptions({ apiKey, maxRetries: 1, headers });

  const error = await rejection(failing.screenshots.create(set));
  expect(error).toMatchObject({ ...expected, charged: "maybe", idempotencyKey: "order-7" });
  expect(error.toJSON()).toMatchObject({ idempotencyKey: "order-7" });

  const { jobId } = await client.screenshots.create(set, { headers });
  expect([jobId, mock.credits.used]).toEqual(["job_1", 10]);
});

test.each([undefined, "", " "])(
  "with the key %j, each set has one of its own, and is charged",
  async (key) => {
    const headers = { ...(key !== undefined && { "idempotency-key": key }) };
    const { mock, keys, client, set } = await onKeyedService();
    for (const _ of [1, 2]) await client.screenshots.create(set, { headers });
    expect([new Set(keys).size, mock.credits.used]).toEqual([2, 20]);
  },
);

test("the mock refuses a create without a key, as the document requires one", async () => {
  const { mock, set } = await onKeyedService();
  requireIdempotencyKey("x-idempotency-key");
  const { apiKey, baseUrl } = mock.clientOptions;
  const headers = { "x-api-key": apiKey, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify({ ...set, count: 1 }) };
  const answer = await mock.fetch(`${baseUrl}/public/v1/screenshots`, init);
  expect([answer.status, mock.credits.used]).toEqual([400, 0]);
  expect(await answer.text()).toContain("x-idempotency-key");
});

test("the mock answers a key again as before, for its operation and account, but not after a refusal", async () => {
  const { mock, client, set } = await onKeyedService();
  const headers = { "idempotency-key": "order-7" };
  mock.credits.set(0);
  expect(await rejection(client.screenshots.create(set, { headers }))).toMatchObject({ status: 402 });
  mock.credits.set(10);
  const first = await client.screenshots.create(set, { headers });
  expect(await client.screenshots.create(set, { headers })).toEqual(first);
  expect(mock.requests({ operation }).map(({ credits }) => credits)).toEqual([0, 10, 0]);

  expect(await client.apps.create(listing, { headers })).toMatchObject({ appId: "app_2" });
  const other = new ScreenshotSets(mock.account().clientOptions);
  const { appId } = await other.apps.create(listing);
  const theirs = await other.screenshots.create({ ...set, appId }, { headers });
  expect(theirs.jobId).not.toBe(first.jobId);
});
