import { InvalidResponseError, ScreenshotSets } from "screenshot-sets";
import { describe, expect, test } from "vitest";
import { head, rawServer, reply } from "../helpers/raw-server.js";
import { rejection } from "../helpers/rejection.js";

const succeeded = (id: unknown) => ({
  id,
  status: "succeeded",
  result: { device: "iphone-69", slides: [{ caption: "Somebody else's" }] },
  error: null,
});

const looks: [what: string, look: (client: ScreenshotSets) => Promise<unknown>][] = [
  ["jobs.get", (client) => client.jobs.get("job-1")],
  ["waitForJob", (client) => client.waitForJob("job-1")],
];

describe.each(looks)("%s", (_, look) => {
  test("refuses the job of another id, once and for all", async () => {
    const server = await rawServer(reply(200, succeeded("job-2")));
    const client = new ScreenshotSets({ apiKey: "key", baseUrl: server.baseUrl });
    const error = await rejection(look(client));
    expect(error.constructor).toBe(InvalidResponseError);
    expect(error).toMatchObject({ status: 200, jobId: "job-1", charged: "no" });
    expect(error.issues).toEqual([{ path: "id", message: "Expected the id of the job that was asked for" }]);
    expect(server.seen).toHaveLength(1);
  });
});

test.each(["job/1", "job 1", "é", "a\ud83d", "\ude00\ud83d"])("takes the job %j by its id", async (id) => {
  const server = await rawServer((socket, seen, index) => {
    const asked = decodeURIComponent(seen.path.split("/").at(-1) as string);
    reply(200, succeeded(asked))(socket, seen, index);
  });
  const client = new ScreenshotSets({ apiKey: "key", baseUrl: server.baseUrl });
  expect((await client.jobs.get(id)).status).toBe("succeeded");
});

test.each([
  ['{"jobId":"job-7","credits":{"co', "job-7"],
  ['{"jobId":7,"credits":{"co', "7"],
  ['{"credits":{"co', undefined],
])("a create that is aborted within its answer %s is logged with the job that it names", async (text, id) => {
  const controller = new AbortController();
  const warnings: Record<string, unknown>[] = [];
  const warn = (_: string, fields?: Record<string, unknown>) => void warnings.push(fields ?? {});
  const server = await rawServer((socket) => {
    socket.write(head(201, { "content-length": 500 }) + text);
    // A busy process runs its timers before it looks at its sockets.
    setTimeout(() => setImmediate(() => setImmediate(() => controller.abort("enough"))), 100);
  });
  const client = new ScreenshotSets({
    ...{ apiKey: "key", baseUrl: server.baseUrl },
    logger: { debug() {}, info() {}, warn, error() {} },
  });
  const { signal } = controller;
  const error = await rejection(client.screenshots.create({ appId: "app", device: "iphone-69" }, { signal }));
  expect(error).toBe("enough");
  expect(warnings.map(({ jobId }) => jobId)).toEqual([id]);
});
