import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { ConnectionError, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { ProxyAgent, type RequestInit, fetch as undiciFetch } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { outcomeOf } from "./helpers/outcome-of.js";

test("a proxy that opens no tunnel to the service keeps a create from being sent, so it is tried again", async () => {
  let tunnels = 0;
  const proxy = createServer().on("connect", (_, socket) => {
    tunnels++;
    socket.end("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n");
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const dispatcher = new ProxyAgent(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  onTestFinished(async () => {
    await dispatcher.destroy();
    proxy.close();
  });

  const { error } = await outcomeOf("POST", {
    baseUrl: "https://service.example/api/v1",
    fetch: (async (url: string, init: RequestInit) =>
      undiciFetch(url, { ...init, dispatcher })) as unknown as typeof globalThis.fetch,
  });
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ attempts: 3, charged: "no", code: "UND_ERR_ABORTED" });
  expect(tunnels).toBe(3);
});

test("goes through a proxy with a dispatcher of undici, as docs/faq.md shows", async () => {
  const mock = createMock();
  const service = await mock.listen();
  const destinations: (string | undefined)[] = [];
  const proxy = createServer().on("connect", ({ url }, socket) => {
    destinations.push(url);
    const { hostname, port } = new URL(`http://${url}`);
    const tunnel = connect(Number(port), hostname, () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      socket.pipe(tunnel).pipe(socket);
    });
    for (const end of [socket, tunnel]) end.on("error", () => [socket, tunnel].map((each) => each.destroy()));
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const dispatcher = new ProxyAgent(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  onTestFinished(async () => {
    await dispatcher.destroy();
    await service.close();
    proxy.close();
  });

  const client = new ScreenshotSets({
    apiKey: mock.clientOptions.apiKey,
    baseUrl: service.url,
    fetch: (async (url: string, init: RequestInit) =>
      undiciFetch(url, { ...init, dispatcher })) as unknown as typeof globalThis.fetch,
  });
  const app = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1234567890" });
  const job = await client.screenshots.createAndWait({ appId: app.appId, device: "iphone-69" });

  expect(job.status).toBe("succeeded");
  expect(new Set(destinations)).toEqual(new Set([new URL(service.url).host]));
});
