import { ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { expect, test, vi } from "vitest";

vi.mock("../../src/generated/samples.js", async (original) => ({
  ...(await original<object>()),
  appIdForm: { head: "a-", digits: 8 },
}));

test("ids of apps have the form that the document asks for, and none means two apps", async () => {
  const mock = createMock();
  const listing = { iosUrl: "https://apps.apple.com/us/app/example/id1" };
  const create = async ({ clientOptions }: Pick<typeof mock, "clientOptions">) =>
    (await new ScreenshotSets(clientOptions).apps.create(listing)).appId;

  expect(await create(mock)).toBe("a-00000001");
  expect(await create(mock)).toBe("a-00000002");
  expect(await create(mock.account())).toBe("a-01000001");
});
