import { afterAll, expect, test, vi } from "vitest";
import { loadOwnModules } from "../helpers/own-modules.js";

const samples = "../../src/generated/samples.js";

afterAll(() => {
  vi.doUnmock(samples);
});

test("ids of apps have the form that the document asks for, and none means two apps", async () => {
  loadOwnModules();
  vi.doMock(samples, async (original) => ({
    ...(await original<object>()),
    appIdForm: { head: "a-", digits: 8 },
  }));
  const { ScreenshotSets } = await import("screenshot-sets");
  const { createMock } = await import("screenshot-sets/mock");
  const mock = createMock();
  const listing = { iosUrl: "https://apps.apple.com/us/app/example/id1" };
  const create = async ({ clientOptions }: Pick<typeof mock, "clientOptions">) =>
    (await new ScreenshotSets(clientOptions).apps.create(listing)).appId;

  expect(await create(mock)).toBe("a-00000001");
  expect(await create(mock)).toBe("a-00000002");
  expect(await create(mock.account())).toBe("a-01000001");
  expect(mock.requests().map(({ keyId }) => keyId)).toEqual(["key_1", "key_1", "key_2_1"]);
});
