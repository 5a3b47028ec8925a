import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { InvalidResponseError } from "screenshot-sets";
import { undiciFetch } from "screenshot-sets/undici";
import { Agent, getGlobalDispatcher, interceptors, MockAgent, setGlobalDispatcher } from "undici";
import { expect, onTestFinished, test, vi } from "vitest";
import { goodBody, outcomeOf } from "../../helpers/outcome-of.js";
import { head, rawServer, reply } from "../../helpers/raw-server.js";

const good = JSON.stringify(goodBody);

/** A server whose every answer is these bytes, after a head with these headers. */
const serving = (bytes: Buffer | string, headers: Record<string, string | number> = {}) =>
  rawServer((socket) => {
    socket.write(head(200, { "content-length": bytes.length, ...headers }));
    socket.end(bytes);
  });

test.each<[coding: string, bytes: Buffer | string]>([
  ["GZIP", gzipSync(good)],
  ["deflate", deflateSync(good)],
  ["br", brotliCompressSync(good)],
  // What nobody knows is handed on as it came.
  ["sdch", good],
])("an answer in %s is read, though nobody asked for that", async (coding, bytes) => {
  const server = await serving(bytes, { "content-encoding": coding });
  const { value } = await outcomeOf("POST", { baseUrl: server.baseUrl, fetch: undiciFetch() });
  expect(value).toMatchObject({ jobId: "job-1" });
  expect(server.seen[0]?.headers).not.toHaveProperty("accept-encoding");
});

test.each([
  ["gzip", gzipSync(good).subarray(0, 10)],
  ["deflate", Buffer.alloc(0)],
  ["br", Buffer.alloc(0)],
])("an answer whose %s ends too early may have been charged", async (coding, bytes) => {
  const server = await serving(bytes, { "content-encoding": coding });
  const { error } = await outcomeOf("POST", { baseUrl: server.baseUrl, fetch: undiciFetch() });
  expect(error).toBeInstanceOf(InvalidResponseError);
  expect(error).toMatchObject({ charged: "maybe", status: 200 });
});

test("an answer without end is given up after 10 MiB, and its connection is closed", async () => {
  let isOpen = true;
  const server = await rawServer((socket) =>
    socket.on("close", () => (isOpen = false)).write(head(200) + good.padEnd(10 * 1024 * 1024 + 1)),
  );
  const { error } = await outcomeOf("POST", { baseUrl: server.baseUrl, fetch: undiciFetch() });
  expect(error).toMatchObject({ name: "InvalidResponseError", charged: "maybe", jobId: "job-1" });
  await expect.poll(() => isOpen).toBe(false);
});

test.each(["identity", "gzip"])(
  "an unread body in %s that breaks off does not end the process",
  async (coding) => {
    const server = await rawServer((socket) =>
      socket.write(
        head(200, { "content-encoding": coding, "content-length": 1000 }) + good.slice(0, 20),
        () => setTimeout(() => socket.resetAndDestroy(), 5),
      ),
    );
    const onFailure = vi.fn();
    process.on("uncaughtException", onFailure).on("unhandledRejection", onFailure);
    onTestFinished(
      () => void process.off("uncaughtException", onFailure).off("unhandledRejection", onFailure),
    );
    const response = await undiciFetch()(server.baseUrl);
    await new Promise((resolve) => (response.body as unknown as NodeJS.ReadableStream).on("close", resolve));
    expect(onFailure).not.toHaveBeenCalled();
  },
);

test("headers are those that the global fetch gives, those beyond ASCII too", async () => {
  const headers = { "x-request-id": "café-€", "set-cookie": "a=1\r\nset-cookie: b=2" };
  const { baseUrl } = await serving(good, headers);
  const response = await undiciFetch()(baseUrl);
  expect([...response.headers]).toEqual([...(await fetch(baseUrl)).headers]);
  expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
});

test("no answer comes from a cache, that of a dispatcher included", async () => {
  const server = await serving(good);
  for (const fetch of [undiciFetch(), globalThis.fetch]) {
    await outcomeOf("GET", { baseUrl: server.baseUrl, fetch });
    await outcomeOf("GET", { baseUrl: server.baseUrl, fetch, headers: { "Cache-Control": "max-age=0" } });
  }
  const sent = server.seen.map(({ headers }) => [headers["cache-control"], headers.pragma]);
  expect(sent.slice(0, 2)).toEqual([
    ["no-cache", "no-cache"],
    ["max-age=0", "no-cache"],
  ]);
  expect(sent.slice(2)).toEqual(sent.slice(0, 2));
});

test.each([true, false])(
  "requests go through undici's global dispatcher at each call (%o), or one's own",
  async (isGlobal) => {
    const before = getGlobalDispatcher();
    onTestFinished(() => setGlobalDispatcher(before));
    const dispatcher = new MockAgent();
    dispatcher.disableNetConnect();
    const path = "/api/v1/public/v1/jobs/job-1";
    dispatcher.get("https://service.example").intercept({ path }).reply(200, goodBody);
    const fetch = undiciFetch(isGlobal ? {} : { dispatcher });
    if (isGlobal) setGlobalDispatcher(dispatcher);
    expect((await outcomeOf("GET", { baseUrl: "https://service.example/api/v1", fetch })).value).toEqual(
      goodBody,
    );
  },
);

// A proxy that is ignored would be gone round.
test.each([
  [{ dispacher: new Agent() }, "`undiciFetch` has no option `dispacher`. Did you mean `dispatcher`?"],
  [{ dispatcher: "http://proxy" }, "Expected `dispatcher` to be a dispatcher of undici, got a string."],
  [{ dispatcher: null }, "Expected `dispatcher` to be a dispatcher of undici, got null."],
  [new Agent(), "Expected `undiciFetch({ dispatcher })`, got a dispatcher."],
  [null, "Expected `undiciFetch({ dispatcher })`, got null."],
])("what is no dispatcher is refused at once (%#)", (options, message) => {
  expect(() => undiciFetch(options as object)).toThrow(new TypeError(message));
});

test("a dispatcher that follows redirects follows none here", async () => {
  const other = await rawServer(reply(200, goodBody));
  const location = `${other.baseUrl}/public/v1/screenshots`;
  const server = await rawServer(reply(307, "", { location }));
  const dispatcher = new Agent().compose(interceptors.redirect({ maxRedirections: 5 }));
  onTestFinished(() => dispatcher.destroy());
  const { error } = await outcomeOf("POST", { baseUrl: server.baseUrl, fetch: undiciFetch({ dispatcher }) });
  expect(error).toMatchObject({ status: 307, charged: "maybe" });
  expect(other.connections).toBe(0);
});
