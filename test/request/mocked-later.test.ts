import { setupServer } from "msw/node";
import { ConnectionError, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { handlers, listenOptions } from "screenshot-sets/mock/msw";
import { expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";

const options = { apiKey: "key", baseUrl: "https://api.screenshot-sets.test/api/v1", maxRetries: 0 };

test("a client made, and used, before msw listens is mocked while it does, and no longer", async () => {
  const mock = createMock();
  const client = new ScreenshotSets({ ...options, apiKey: mock.clientOptions.apiKey });
  const create = () => client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
  expect(await rejection(create())).toBeInstanceOf(ConnectionError);
  const server = setupServer(...handlers(mock));
  server.listen(listenOptions);
  try {
    expect(await create()).toHaveProperty("appId");
  } finally {
    server.close();
  }
  expect(await rejection(create())).toBeInstanceOf(ConnectionError);
  expect(mock.requests()).toHaveLength(1);
});
