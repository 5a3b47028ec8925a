import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { openMock } from "./ask.js";

test("takes a key in either header, and refuses any other without repeating it", async () => {
  const { mock, ask, listing } = openMock();
  const { apiKey } = mock.clientOptions;
  const attempt = async (headers: Record<string, string>) => {
    const { status, body } = await ask("/public/v1/apps", listing, { headers });
    return [status, body.error?.message];
  };
  const refused = [401, "The API key is invalid or was revoked."];

  expect(await attempt({ Authorization: `Bearer ${apiKey}` })).toEqual([200, undefined]);
  expect(await attempt({ "X-Api-Key": apiKey })).toEqual([200, undefined]);
  expect(await attempt({ authorization: "Bearer wrong-key" })).toEqual(refused);
  expect(await attempt({ "x-api-key": "wrong-key" })).toEqual(refused);
  expect(await attempt({})).toEqual([401, expect.stringMatching(/Authorization: Bearer .*x-api-key/)]);
});

test("numbers the keys that it makes, and refuses a revoked one from the next request on", async () => {
  const { mock, look } = openMock();
  const keys = [mock.clientOptions.apiKey, mock.keys.create(), mock.keys.create()];
  const statuses = () =>
    Promise.all(keys.map(async (key) => (await look("job_1", { headers: { "x-api-key": key } })).status));

  expect(keys.map((key) => Number(key.slice(-12)))).toEqual([1, 2, 3]);
  for (const key of keys) expect(key).toMatch(/^[\x21-\x7e]{20,}$/);
  expect(await statuses()).toEqual([404, 404, 404]);
  mock.keys.revoke(mock.clientOptions.apiKey);
  expect(await statuses()).toEqual([401, 404, 404]);
});

test("makes no key that a test has given to an account", () => {
  const [, next] = [createMock(), createMock()].map((mock) => mock.keys.create());
  const mock = createMock({ apiKey: next });
  expect([mock.keys.create(), mock.keys.create()]).not.toContain(next);
});

test("refuses a key that another account has, and to revoke one that is not the account's, repeating neither", () => {
  const mock = createMock({ apiKey: "my-own-key" });
  const other = mock.account();

  expect(() => mock.account({ apiKey: "my-own-key" })).toThrow(/^(?!.*my-own-key).*key of its own/);
  for (const key of ["my-own-key", "never-made"]) {
    expect(() => other.keys.revoke(key)).toThrow(/^(?!.*(own-key|made)).*has no such key/);
  }
});
