import { setTimeout as delay } from "node:timers/promises";
import { ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { calls, expectNothingLeft, goodBody, outcomeOf, watchedSignal } from "../helpers/outcome-of.js";
import { type Answer, head, rawServer, reply } from "../helpers/raw-server.js";
import { rejection } from "../helpers/rejection.js";
import { attemptTimeoutMs, RequestClock } from "../helpers/request-clock.js";

const good = JSON.stringify(goodBody);
const half = head(200, { "content-length": good.length }) + good.slice(0, 20);

/** What the server has done when the caller aborts. */
const moments: [moment: string, answer: Answer][] = [
  ["before an answer", () => {}],
  ["within the headers", (socket) => socket.write("HTTP/1.1 200 OK\r\n")],
  ["within the body", (socket) => socket.write(half)],
  ["within the body of a refusal", (socket) => socket.write(`${head(429, { "content-length": 9 })}half`)],
];

/** An abort rejects with whatever the caller gave it. */
const reasons = [new Error("The user left"), "a word", null, 0, { any: "object" }];

describe.each(["GET", "POST"] as const)("an abort of a %s", (method) => {
  test.each(reasons)("beforehand rejects with its reason, and nothing is sent: %o", async (reason) => {
    const watched = watchedSignal();
    watched.controller.abort(reason);
    let asked = 0;
    const server = await rawServer(reply(200, goodBody));
    const apiKey = () => `key-${++asked}`;
    const options = { baseUrl: server.baseUrl, apiKey };
    const { error } = await outcomeOf(method, options, new RequestClock(), watched);
    expect(error).toBe(reason);
    expect([asked, server.connections]).toEqual([0, 0]);
  });

  test.each(moments)("%s rejects with its reason and closes the connection", async (_, answer) => {
    const watched = watchedSignal();
    const reason = new Error("The user left");
    let close = () => {};
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    const server = await rawServer(async (socket, seen, index) => {
      socket.on("close", close);
      answer(socket, seen, index);
      await delay(10);
      watched.controller.abort(reason);
    });
    const options = { baseUrl: server.baseUrl };
    const { error, elapsedMs } = await outcomeOf(method, options, new RequestClock(), watched);
    expect(error).toBe(reason);
    await closed;
    expect(server.seen).toHaveLength(1);
    expect(elapsedMs).toBe(0);
  });

  test("while its connection is opened rejects with its reason, and nothing is ever sent", async () => {
    const watched = watchedSignal();
    const server = await rawServer(reply(200, goodBody));
    const opened: (() => boolean)[] = [];
    const opening = new Agent().compose((dispatch) => (options, handler) => {
      opened.push(() => dispatch(options, handler));
      setImmediate(() => watched.controller.abort("enough"));
      return true;
    });
    const usual = getGlobalDispatcher();
    setGlobalDispatcher(opening);
    onTestFinished(() => setGlobalDispatcher(usual));
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl }, new RequestClock(), watched);
    expect(error).toBe("enough");
    expect(opened).toHaveLength(1);
    for (const open of opened) open();
    await delay(50);
    expect(server.seen).toEqual([]);
  });

  test("in flight rejects with any reason as it is", async () => {
    for (const reason of reasons) {
      const watched = watchedSignal();
      const server = await rawServer(() => watched.controller.abort(reason));
      const options = { baseUrl: server.baseUrl };
      expect((await outcomeOf(method, options, new RequestClock(), watched)).error).toBe(reason);
    }
  });

  test("without a reason rejects with an AbortError", async () => {
    const watched = watchedSignal();
    const server = await rawServer(() => watched.controller.abort());
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl }, new RequestClock(), watched);
    expect(error).toMatchObject({ name: "AbortError" });
    expect(error).toBe(watched.signal.reason);
  });

  test("in the second attempt ends that one", async () => {
    const watched = watchedSignal();
    const server = await rawServer((socket, seen, index) =>
      index === 0 ? reply(429)(socket, seen, index) : watched.controller.abort("enough"),
    );
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl }, new RequestClock(), watched);
    expect(error).toBe("enough");
    expect(server.seen).toHaveLength(2);
  });

  test("by a logger that is told of a retry sends nothing more", async () => {
    const watched = watchedSignal();
    const server = await rawServer(reply(429));
    const logger = { debug() {}, info() {}, error() {}, warn: () => watched.controller.abort("enough") };
    const options = { baseUrl: server.baseUrl, logger };
    const { error } = await outcomeOf(method, options, new RequestClock(), watched);
    expect(error).toBe("enough");
    expect(server.seen).toHaveLength(1);
  });

  test.each([
    ["rejects with an error of its own", () => Promise.reject(new Error("interrupted"))],
    ["takes no notice", () => Promise.resolve()],
  ])("in a delay whose clock %s sends nothing more", async (_, sleep) => {
    const watched = watchedSignal();
    const server = await rawServer(reply(429));
    class OddClock extends RequestClock {
      override sleep(ms: number, signal?: AbortSignal): Promise<void> {
        if (ms === attemptTimeoutMs) return super.sleep(ms, signal);
        watched.controller.abort("enough");
        return sleep();
      }
    }
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl }, new OddClock(), watched);
    expect(error).toBe("enough");
    expect(server.seen).toHaveLength(1);
  });

  test("in a delay whose clock does not hear of it ends the call at once", async () => {
    const watched = watchedSignal();
    const server = await rawServer(reply(429));
    class DeafClock extends RequestClock {
      override sleep(ms: number, signal?: AbortSignal): Promise<void> {
        if (ms === attemptTimeoutMs) return super.sleep(ms, signal);
        setImmediate(() => watched.controller.abort("enough"));
        return new Promise(() => {});
      }
    }
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl }, new DeafClock(), watched);
    expect(error).toBe("enough");
    expect(server.seen).toHaveLength(1);
  });

  test("after its end changes nothing", async () => {
    const watched = watchedSignal();
    const server = await rawServer(reply(200, goodBody));
    const { value } = await outcomeOf(method, { baseUrl: server.baseUrl }, new RequestClock(), watched);
    watched.controller.abort();
    expect(value).toEqual(goodBody);
  });

  test("ends this call and no other with the same client", async () => {
    const watched = watchedSignal();
    const server = await rawServer((socket, seen, index) => {
      if (index === 0) setTimeout(() => watched.controller.abort("enough"));
      else reply(200, goodBody)(socket, seen, index);
    });
    const client = new ScreenshotSets({ apiKey: "key", baseUrl: server.baseUrl });
    const aborted = rejection(calls[method](client, { signal: watched.signal }));
    await expect.poll(() => server.seen.length).toBe(1);
    expect(await calls[method](client)).toEqual(goodBody);
    expect(await aborted).toBe("enough");
  });
});

test("the end of a call leaves the abort of others with its signal to be heard", async () => {
  const { controller, signal } = watchedSignal();
  const fetch: typeof globalThis.fetch = (url) =>
    String(url).endsWith("job-1") ? new Promise(() => {}) : Promise.resolve(Response.json(goodBody));
  const client = new ScreenshotSets({ apiKey: "key", baseUrl: "https://example.com/api/v1", fetch });
  const aborted = rejection(calls.GET(client, { signal }));
  expect(await calls.POST(client, { signal })).toEqual(goodBody);
  controller.abort("enough");
  expect(await aborted).toBe("enough");
});

test("calls that rest before they are sent again share one listener, whatever clock they rest on", async () => {
  const mock = createMock();
  const client = new ScreenshotSets(mock.clientOptions);
  const { signal, listeners } = watchedSignal();
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/app/id1" });
  mock.fault({ status: 429, retryAfter: 5 }, { times: 5 });
  const creates = Array.from({ length: 5 }, () =>
    client.screenshots.create({ appId, device: "iphone-69" }, { signal }),
  );
  await Promise.all(creates);
  expect(mock.requests({ operation: "createScreenshots" })).toHaveLength(10);
  expect(listeners.most).toBe(1);
  await expectNothingLeft(signal);
});
