import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { networkInterfaces } from "node:os";
import { ConnectionError, ScreenshotSets } from "screenshot-sets";
import { createMock, type ListenOptions, type MockOptions } from "screenshot-sets/mock";
import { expect, onTestFinished, test, vi } from "vitest";
import { freePort } from "../helpers/free-port.js";
import { rejection } from "../helpers/rejection.js";
import { asking, planSet } from "./ask.js";

/** The mock as a server, asked with the global `fetch`, by a client with a clock of its own too. */
async function open(options?: MockOptions, where?: ListenOptions) {
  const mock = createMock(options);
  const listener = await mock.listen(where);
  onTestFinished(() => listener.close());
  const { url } = listener;
  const { apiKey } = mock.clientOptions;
  const client = new ScreenshotSets({ apiKey, baseUrl: url, maxRetries: 0 });
  const clientOptions = { ...mock.clientOptions, baseUrl: url, fetch: globalThis.fetch };
  return { mock, listener, url, apiKey, client, ...asking({ ...mock, clientOptions }) };
}

/** A request that `fetch` would not send. */
async function sendRaw(url: string, options: RequestOptions) {
  const [response] = (await once(httpRequest(url, options).end(), "response")) as [IncomingMessage];
  const { headers, socket } = response.resume();
  const port = socket.localPort;
  await once(response, "end");
  return { headers, port };
}

const isListening = async (url: string) => (await fetch(url).catch(() => undefined)) !== undefined;

test("serves the whole task to a client on the system's clock, which waits for nothing", async () => {
  const { mock, client, url } = await open();

  const job = await planSet(client);

  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/);
  expect(job.result.slides).toHaveLength(5);
  expect(mock.credits.remaining).toBe(90);
  const looks = mock.requests({ operation: "getJob" }).map(({ responseHeaders }) => responseHeaders);
  expect(looks.map((headers) => headers?.["retry-after"])).toEqual(["0", "0", undefined]);
});

test("publishes the OpenAPI document as it is, without a key, to GET and HEAD alone", async () => {
  const { url, mock } = await open();
  const document = readFileSync("openapi.json");
  mock.fault({ status: 500 });
  const ask = (method: string) => fetch(`${url}/public/openapi.json`, { method });

  const [get, head] = [await ask("GET"), await ask("HEAD")];

  expect([get.status, await get.text()]).toEqual([200, document.toString()]);
  expect(mock.requests()[0]).toMatchObject({ operation: undefined, status: 200, credits: 0, guesses: [] });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  expect(head.headers.get("content-type")).toBe("application/json");
  expect(head.headers.get("content-length")).toBe(String(document.length));
  expect((await ask("DELETE")).status).toBe(401);
});

test.each(["reset", "truncated"] as const)(
  "breaks the connection with %s as a client meets it",
  async (fault) => {
    const { mock, client, createApp } = await open();
    const appId = await createApp();
    mock.fault(fault, { when: "after" });

    const error = await rejection(client.screenshots.create({ appId, device: "iphone-69" }));

    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ charged: "maybe", ...(fault === "reset" && { code: "ECONNRESET" }) });
    expect(mock.credits.used).toBe(10);
  },
);

test("answers 418, which clients do not send again, where a strict mock has only a guess", async () => {
  const { look } = await open({ strict: true });

  const { status, body } = await look("job_9");

  expect(status).toBe(418);
  expect(body.error.message).toContain("`status.notFound`");
});

test("answers 404 outside the base URL, to anyone", async () => {
  const { url, mock } = await open();

  for (const path of ["/", "/api/v10/public/v1/apps"]) {
    const response = await fetch(new URL(path, url));
    expect(response.status).toBe(404);
    expect((await response.json()).error.message).toContain("/api/v1");
  }
  expect(mock.requests()).toEqual([]);
});

test("leaves query and origin out of the path", async () => {
  const { mock, url, apiKey } = await open();
  const { hostname, port, pathname } = new URL(url);
  const headers = { "x-api-key": apiKey };

  await fetch(`${url}/public/v1/jobs/a%2Fb?c=d`, { headers });
  await sendRaw(url, { hostname, port, headers, path: `http://other.test${pathname}/public/v1/jobs/e` });

  expect(mock.requests().map(({ operation, path }) => [operation, path])).toEqual([
    ["getJob", "/public/v1/jobs/a%2Fb"],
    ["getJob", "/public/v1/jobs/e"],
  ]);
});

test("refuses a body that is larger than any of the service's, and stays in service", async () => {
  const { url, apiKey, mock, createApp } = await open();

  const { status } = await fetch(`${url}/public/v1/apps`, {
    method: "POST",
    headers: { "x-api-key": apiKey },
    body: "x".repeat(3_000_000),
  });

  expect(status).toBe(413);
  expect(mock.requests()).toEqual([]);
  expect(await createApp()).toBe("app_1");
});

test("keeps connections open for further requests, also those that were long unused", async () => {
  const { url } = await open();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());

  const one = await sendRaw(`${url}/public/openapi.json`, { agent });
  const other = await sendRaw(`${url}/public/openapi.json`, { agent });

  expect(other.port).toBe(one.port);
  expect(one.headers["keep-alive"]).toBeUndefined();
});

test("listens more than once, for one and the same mock, and goes on after a reset", async () => {
  const { mock, createApp, url } = await open();
  const second = await mock.listen();
  onTestFinished(() => second.close());

  expect(second.url).not.toBe(url);
  expect(await createApp()).toBe("app_1");
  expect((await fetch(`${second.url}/public/v1/apps`)).status).toBe(401);
  expect(mock.requests()).toHaveLength(2);
  mock.reset();
  expect(await createApp()).toBe("app_1");
});

test("closes with a request hanging and connections idle, twice too, and frees the port", async () => {
  const { mock, listener, send, url } = await open({}, { port: await freePort() });
  mock.fault("hang");
  const hanging = rejection(send("/public/v1/jobs/job_1"));
  await vi.waitFor(() => expect(mock.requests()).toHaveLength(1), { timeout: 20_000 });

  await Promise.all([listener.close(), listener.close()]);

  expect(await hanging).toMatchObject({ message: "fetch failed" });
  expect(await isListening(url)).toBe(false);
  const again = await mock.listen({ port: Number(new URL(url).port) });
  onTestFinished(() => again.close());
  expect(await isListening(url)).toBe(true);
});

test("is closed at the end of a block by `await using`", async () => {
  let url = "";
  {
    await using listener = await createMock().listen();
    url = listener.url;
    expect(await isListening(url)).toBe(true);
  }

  expect(await isListening(url)).toBe(false);
});

test("listens where the platform has no symbol for `await using`, and gives compiled programs theirs", async () => {
  vi.stubGlobal("Symbol", Object.create(Symbol, { asyncDispose: { value: undefined } }));
  const listener = await createMock().listen();
  vi.unstubAllGlobals();

  await listener[Symbol.for("Symbol.asyncDispose") as typeof Symbol.asyncDispose]();

  expect(Object.keys(listener)).not.toContain("undefined");
  expect(await isListening(listener.url)).toBe(false);
});

test("says why it cannot listen", async () => {
  const { mock, url } = await open();
  const port = Number(new URL(url).port);

  const taken = await rejection(mock.listen({ port }));
  const foreign = await rejection(mock.listen({ host: "192.0.2.1" }));

  expect([taken.code, foreign.code]).toEqual(["EADDRINUSE", "EADDRNOTAVAIL"]);
  expect(taken.message).toBe(
    `Failed to listen on 127.0.0.1:${port}: the port is in use. Please pass another \`port\`, or none for one that is free.`,
  );
  expect(foreign.message).toMatch(/^Failed to listen on 192\.0\.2\.1:0: .*EADDRNOTAVAIL/);
});

const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === "::1"),
);

test.each<[host: string, name: string, also?: string]>([
  ["localhost", "localhost"],
  ["127.0.0.1", "127.0.0.1"],
  ["0.0.0.0", "127.0.0.1", "127.0.0.2"],
  ...(hasIpv6 ? ["::1", "::"].map((host): [string, string] => [host, "[::1]"]) : []),
])("listens on %s, and gives the address that can be connected to: %s", async (host, name, also = name) => {
  const { url } = await open({}, { host });

  expect(new URL(url).hostname).toBe(name);
  expect([await isListening(url), await isListening(url.replace(name, also))]).toEqual([true, true]);
});

test("says why the page cannot be loaded where it lacks something, and serves all the same", async () => {
  const { listener, createApp } = await open({}, { page: true });
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal("crypto", undefined);

  const response = await fetch(listener.pageUrl ?? "");

  expect(response.status).toBe(500);
  const message = expect.stringMatching(/^The mock's page could not be loaded \(.*randomUUID/);
  expect((await response.json()).error).toEqual({ code: "page_unavailable", message });
  expect(await createApp()).toBe("app_1");
});
