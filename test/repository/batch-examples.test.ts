import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ScreenshotSets, setCost } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { beforeEach, expect, test } from "vitest";
import { planListings } from "../../examples/batch/plan-listings.js";
import { planForTenants } from "../../examples/tenants/plan-for-tenants.js";
import { defaultCount } from "../../src/generated/values.js";
import { temporaryFolder } from "../helpers/temporary-folder.js";

const iosUrl = "https://apps.apple.com/us/app/example/id1234567890";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

test("the batch plans each listing's devices once, and says which sets need a person", async () => {
  const mock = createMock({ allowance: 4 * setCost });
  const client = new ScreenshotSets(mock.clientOptions);
  const apps = {
    us: (await client.apps.create({ iosUrl })).appId,
    de: (await client.apps.create({ iosUrl })).appId,
  };
  mock.fault("reset", { operation: "createScreenshots", when: "after" });
  for (let runs = 0; runs < 2; runs++) {
    const problems = await planListings(client, apps, folder);
    expect(problems).toEqual({ "us-iphone-69": expect.stringMatching(/^uncertain: /) });
  }
  expect(readdirSync(folder).sort()).toEqual([
    "de-ipad-pro.json",
    "de-iphone-69.json",
    "state.json",
    "us-ipad-pro.json",
  ]);
  expect(JSON.parse(readFileSync(join(folder, "us-ipad-pro.json"), "utf8"))).toHaveLength(defaultCount);
  expect(mock.credits.used).toBe(4 * setCost);
});

test("a tenant whose key is revoked does not stop the others, and each has its own budget", async () => {
  const mock = createMock();
  const tenants = await Promise.all(
    ["one", "two", "three"].map(async (id) => {
      const account = mock.account({ allowance: 2 * setCost });
      const client = new ScreenshotSets(account.clientOptions);
      const { appId } = await client.apps.create({ iosUrl });
      const sets = { a: { appId, device: "iphone-69" }, b: { appId, device: "ipad-pro" } } as const;
      return {
        id,
        apiKey: account.clientOptions.apiKey,
        maxCredits: (id === "one" ? 1 : 2) * setCost,
        sets,
        account,
      };
    }),
  );
  const [, two] = tenants;
  two?.account.keys.revoke(two.apiKey);
  const { apiKey, ...options } = mock.clientOptions;
  const planned = await planForTenants(tenants, options, folder);
  expect([planned.get("one"), planned.get("three")]).toEqual([1, 2]);
  expect(planned.get("two")).toMatchObject({ name: "AuthenticationError" });
});
