import { devices, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { beforeEach, expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { requireIdempotencyKey } from "../helpers/unkeyed-creates.js";

beforeEach(() => requireIdempotencyKey("idempotency-key"));

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

test.each<[what: string, fault: Parameters<ReturnType<typeof createMock>["fault"]>[0]]>([
  ["a 503", { status: 503 }],
  ["a 408", { status: 408 }],
  ["a reset", "reset"],
  ["half an answer", "truncated"],
])(
  "a set with an idempotency key is sent again after %s, with the same key, and charged once",
  async (_, fault) => {
    const { mock, keys, client, set } = await onKeyedService();
    mock.fault(fault, { operation, when: "after" });

    const { jobId } = await client.screenshots.create(set);

    expect([jobId, mock.credits.used]).toEqual(["job_1", 10]);
    expect(keys).toEqual([keys[0], keys[0]]);
    expect(keys[0]).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  },
);

test("a set is sent no more often than `maxRetries` allows, and its error shows the key", async () => {
  const { mock, keys, client, set } = await onKeyedService();
  mock.fault("reset", { operation, when: "after", times: 9 });
  const error = await rejection(client.screenshots.create(set, { maxRetries: 1 }));
  expect(error).toMatchObject({ attempts: 2, charged: "maybe", idempotencyKey: keys[0] });
  expect(error.toJSON()).toMatchObject({ idempotencyKey: keys[0] });
  expect(keys).toHaveLength(2);
});

test("a refusal shows the key, and that an attempt before it may have been charged", async () => {
  const { mock, client, set } = await onKeyedService();
  mock.fault("reset", { operation, when: "after" });
  mock.fault({ status: 400 }, { operation });
  const headers = { "Idempotency-Key": "order-7" };

  const error = await rejection(client.screenshots.create(set, { headers }));
  expect(error).toMatchObject({ status: 400, attempts: 2, charged: "maybe", idempotencyKey: "order-7" });

  const { jobId } = await client.screenshots.create(set, { headers });
  expect([jobId, mock.credits.used]).toEqual(["job_1", 10]);
});

test("a key function that fails between two attempts shows the idempotency key", async () => {
  const { mock, keys, client, set } = await onKeyedService();
  mock.fault("reset", { operation, when: "after" });
  mock.fault({ status: 401 }, { operation });
  let asked = 0;
  const apiKey = () => (asked++ === 0 ? mock.clientOptions.apiKey : Promise.reject(new Error("no vault")));
  const error = await rejection(client.withOptions({ apiKey }).screenshots.create(set));
  expect(error).toMatchObject({ name: "ConfigurationError", charged: "maybe", idempotencyKey: keys[0] });
});

test.each([undefined, "", " "])(
  "with the key %j, each set has one of its own, and is charged",
  async (key) => {
    const { mock, keys, client, set } = await onKeyedService();
    const headers = key === undefined ? {} : { "idempotency-key": key };
    for (const expected of ["job_1", "job_2"]) {
      expect(await client.screenshots.create(set, { headers })).toMatchObject({ jobId: expected });
    }
    expect(new Set(keys).size).toBe(2);
    expect(mock.credits.used).toBe(20);
  },
);

test("without the requirement no key is sent, and a create is sent once", async () => {
  requireIdempotencyKey(undefined);
  const { mock, keys, client, set } = await onKeyedService();
  mock.fault("reset", { operation, when: "after" });
  const error = await rejection(client.screenshots.create(set));
  expect(error).toMatchObject({ attempts: 1, charged: "maybe" });
  expect("idempotencyKey" in error).toBe(false);
  expect(keys).toEqual([null]);
});

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

test("the mock answers a key again as before, for the operation and account that it was given for", async () => {
  const { mock, client, set } = await onKeyedService();
  const headers = { "idempotency-key": "order-7" };
  const first = await client.screenshots.create(set, { headers });
  expect(await client.screenshots.create(set, { headers })).toEqual(first);
  expect(mock.requests({ operation }).map(({ credits }) => credits)).toEqual([10, 0]);

  expect(await client.apps.create(listing, { headers })).toMatchObject({ appId: "app_2" });
  const other = new ScreenshotSets(mock.account().clientOptions);
  const { appId } = await other.apps.create(listing);
  const theirs = await other.screenshots.create({ ...set, appId }, { headers });
  expect(theirs.jobId).not.toBe(first.jobId);
});

test("the mock keeps no refusal for a key, so that it may be given again", async () => {
  const { mock, client, set } = await onKeyedService();
  const headers = { "idempotency-key": "order-7" };
  mock.credits.set(0);
  expect(await rejection(client.screenshots.create(set, { headers }))).toMatchObject({ status: 402 });
  mock.credits.set(10);
  expect(await client.screenshots.create(set, { headers })).toMatchObject({ jobId: "job_1" });
});
