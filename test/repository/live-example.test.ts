import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type Clock, devices, ScreenshotSets } from "screenshot-sets";
import { createMock, type MockOptions } from "screenshot-sets/mock";
import { expect, onTestFinished, vi } from "vitest";
import { createHandler } from "../../examples/live/handler.js";
import { openContext, test } from "../mock/page/browser/open-page.js";

/** A server that ends as one that is killed, and all its connections with it. */
async function serve(handler: RequestListener, port = 0) {
  const server = createServer(handler).listen(port, "127.0.0.1");
  await once(server, "listening");
  const kill = async () => {
    server.closeAllConnections();
    if (server.listening) await once(server.close(), "close");
  };
  onTestFinished(kill);
  return { kill, port: (server.address() as AddressInfo).port };
}

/** The sample in front of a mock, with a job that proceeds when the test says so. */
async function serveExample(options?: MockOptions) {
  const mock = createMock({ lifecycle: "manual", ...options });
  const { clock, ...others } = mock.clientOptions;
  // As long as a job is watched, there is a sleep until the next poll.
  let sleeps = 0;
  const counted: Clock = {
    now: () => clock.now(),
    sleep: (ms, signal) => {
      sleeps++;
      return clock.sleep(ms, signal).finally(() => sleeps--);
    },
  };
  // Each server has a client of its own, as each process has.
  const start = (port?: number) =>
    serve(
      createHandler(new ScreenshotSets({ ...others, clock: counted }), (_, id) => id !== "job-of-another"),
      port,
    );
  const client = new ScreenshotSets(mock.clientOptions);
  const { appId } = await client.apps.create({
    iosUrl: "https://apps.apple.com/us/app/example/id1234567890",
  });
  const { jobId } = await client.screenshots.create({ appId, device: devices[0], count: 3 });
  const server = await start();
  return { mock, jobId, server, start, sleeps: () => sleeps, isWatched: () => sleeps > 0 };
}

/** The page of a job in a browser. */
async function open(port: number, jobId: string) {
  const { context, said } = await openContext();
  await context.addInitScript(() => {
    const opened: EventSource[] = [];
    const EventSource = class extends globalThis.EventSource {
      constructor(url: string) {
        super(url);
        opened.push(this);
      }
    };
    Object.assign(globalThis, { EventSource, opened });
  });
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${port}/${jobId}`);
  const shows = (text: string) => page.getByRole("status").getByText(text, { exact: true }).waitFor();
  const allClosed = () =>
    page.evaluate("opened.every(({ readyState }) => readyState === EventSource.CLOSED)");
  return { page, said, shows, allClosed };
}

test("the live page shows how far a set is, after a reload and a restart too, and asks nothing after the end", async () => {
  const { mock, jobId, server, start, isWatched } = await serveExample({ clock: "system" });
  const { page, said, shows, allClosed } = await open(server.port, jobId);
  await shows("queued");
  mock.jobs.advance(jobId);
  await shows("running");

  await page.reload();
  await shows("running");

  const failed: string[] = [];
  page.on("requestfailed", (request) => failed.push(request.url()));
  await server.kill();
  await shows("Connecting again");
  // The stream that broke off, and one that found no server.
  await expect.poll(() => failed.length).toBe(2);
  // What a proxy answers meanwhile.
  const proxy = await serve((_, response) => void response.writeHead(502).end(), server.port);
  await expect.poll(() => said).toEqual([expect.stringContaining("502")]);
  said.length = 0;
  await proxy.kill();
  await start(server.port);
  await shows("running");
  expect(await allClosed()).toBe(false);

  mock.jobs.succeed(jobId);
  await shows("succeeded: 3 slides");
  await expect.poll(allClosed).toBe(true);
  await expect.poll(isWatched).toBe(false);
});

test("a job is watched once for all who look at it", async () => {
  const { mock, jobId, server, sleeps } = await serveExample({ clock: "system" });
  const one = await open(server.port, jobId);
  await one.shows("queued");
  // One who comes later sees what is known at once.
  const other = await open(server.port, jobId);
  await other.shows("queued");
  await expect.poll(sleeps).toBe(1);

  await one.page.close();
  mock.jobs.advance(jobId);
  await other.shows("running");

  await other.page.close();
  await expect.poll(sleeps).toBe(0);
});

test("nobody polls for a live page that is closed", async () => {
  const { jobId, server, isWatched } = await serveExample({ clock: "system" });
  const { page, shows } = await open(server.port, jobId);
  await shows("queued");
  expect(isWatched()).toBe(true);

  await page.close();

  await expect.poll(isWatched).toBe(false);
});

test("the live page says in words for the public why it shows nothing more", async () => {
  const log = vi.spyOn(console, "error").mockReturnValue();
  const { mock, jobId, server } = await serveExample();
  for (const [id, words] of [
    ["job-of-nobody", "There is no such set."],
    ["job-of-another", "There is no such set."],
    ["%", "There is no such set."],
  ] as const) {
    const { shows, allClosed } = await open(server.port, id);
    await shows(words);
    await expect.poll(allClosed).toBe(true);
  }
  expect(log).not.toHaveBeenCalled();
  // Of the three, the service was asked only for the first.
  expect(mock.requests({ operation: "getJob" }).filter(({ status }) => status === 404)).toHaveLength(1);

  mock.keys.revoke(mock.clientOptions.apiKey);
  const { shows, allClosed } = await open(server.port, jobId);
  await shows("Something went wrong. Reload the page to try again.");
  await expect.poll(allClosed).toBe(true);
  expect(log.mock.calls).toEqual([[expect.objectContaining({ name: "AuthenticationError" })]]);
});

test("the live page's stream is never silent for long, and leaves no timer and no line in the log", async () => {
  const log = vi.spyOn(console, "error").mockReturnValue();
  const { jobId, server, isWatched } = await serveExample({ clock: "system" });
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const left = new AbortController();
  const { body } = await fetch(`http://127.0.0.1:${server.port}/${jobId}/events`, { signal: left.signal });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toContain("queued");

  vi.advanceTimersByTime(30_000);
  expect((await reader?.read())?.value).toMatch(/^(:\n\n)+$/);

  left.abort();
  await expect.poll(isWatched).toBe(false);
  await expect.poll(() => vi.getTimerCount()).toBe(0);
  expect(log).not.toHaveBeenCalled();
});
