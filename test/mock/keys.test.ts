import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { asking } from "./ask.js";

const withHeaders = (headers: Record<string, string>) => ({ headers });

test("takes the key in either header", async () => {
  const mock = createMock();
  const { ask, listing } = asking(mock);
  const { apiKey } = mock.clientOptions;

  for (const headers of [{ Authorization: `Bearer ${apiKey}` }, { "X-Api-Key": apiKey }] as Record<
    string,
    string
  >[]) {
    expect(await ask("/public/v1/apps", listing, withHeaders(headers))).toMatchObject({ status: 200 });
  }
});

test("refuses a request without a key, naming both headers", async () => {
  const { ask, listing } = asking(createMock());

  const { status, body } = await ask("/public/v1/apps", listing, withHeaders({}));

  expect(status).toBe(401);
  expect(body.error.message).toMatch(/Authorization: Bearer .*x-api-key/);
});

test.each([{ authorization: "Bearer wrong-key" }, { "x-api-key": "wrong-key" }])(
  "refuses an invalid key without repeating it: %j",
  async (headers) => {
    const { ask, listing } = asking(createMock());

    const { status, body } = await ask(
      "/public/v1/apps",
      listing,
      withHeaders(headers as Record<string, string>),
    );

    expect(status).toBe(401);
    expect(body.error.message).toBe("The API key is invalid or was revoked.");
  },
);

test("refuses a revoked key from the next request on, while the new one works", async () => {
  const mock = createMock();
  const { ask, listing } = asking(mock);
  const created = mock.keys.create();
  const attempt = (key: string) => ask("/public/v1/apps", listing, withHeaders({ "x-api-key": key }));

  expect(await attempt(created)).toMatchObject({ status: 200 });
  mock.keys.revoke(mock.clientOptions.apiKey);

  expect(await attempt(mock.clientOptions.apiKey)).toMatchObject({ status: 401 });
  expect(await attempt(created)).toMatchObject({ status: 200 });
});

test("lets all keys of an account share its credits, and names them in the ledger without revealing them", async () => {
  const mock = createMock({ allowance: 20 });
  const { createApp, createSet, ask } = asking(mock);
  const other = mock.keys.create();
  const appId = await createApp();

  await createSet(appId);
  const set = { appId, device: "iphone-69", count: 1 };
  const { body } = await ask("/public/v1/screenshots", set, withHeaders({ "x-api-key": other }));

  expect(Number(body.credits.remaining)).toBe(0);
  expect(mock.credits.ledger().map(({ keyId }) => keyId)).toEqual(["key_1", "key_2"]);
  expect(JSON.stringify(mock.credits.ledger())).not.toContain(other);
});

test("gives keys that look like live ones", () => {
  const mock = createMock();

  expect([mock.clientOptions.apiKey, mock.keys.create()]).toEqual([
    expect.stringMatching(/^[\x21-\x7e]{20,}$/),
    expect.stringMatching(/^[\x21-\x7e]{20,}$/),
  ]);
});

test("numbers the keys that it makes, and takes each of them", async () => {
  const mock = createMock();
  const { ask, listing } = asking(mock);
  const made = [mock.keys.create(), mock.keys.create()];

  expect([mock.clientOptions.apiKey, ...made].map((key) => Number(key.slice(-12)))).toEqual([1, 2, 3]);
  for (const key of made) {
    expect(await ask("/public/v1/apps", listing, withHeaders({ "x-api-key": key }))).toMatchObject({
      status: 200,
    });
  }
});

test("takes a key of one's own, and refuses the same one for a second account without repeating it", () => {
  const mock = createMock({ apiKey: "my-own-key" });

  expect(mock.clientOptions.apiKey).toBe("my-own-key");
  expect(() => mock.account({ apiKey: "my-own-key" })).toThrow(/^(?!.*my-own-key).*key of its own/);
});

test.each([5, true, ["a-key-in-a-list"]])("takes no key that is no text: %j", (apiKey) => {
  const refusal = new TypeError("Expected `apiKey` to be visible ASCII characters");
  const given = { apiKey: apiKey as never };
  expect(() => createMock(given)).toThrow(refusal);
  expect(() => createMock().account(given)).toThrow(refusal);
});

test("refuses to revoke a key that is not the account's", () => {
  const mock = createMock();
  const other = mock.account();

  expect(() => mock.keys.revoke(other.clientOptions.apiKey)).toThrow("has no such key");
  expect(() => mock.keys.revoke("never-made")).toThrow("has no such key");
});
