import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { ScreenshotSets } from "screenshot-sets";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { calls, goodBody } from "../helpers/outcome-of.js";
import { loadOwnModules } from "../helpers/own-modules.js";
import { rejection } from "../helpers/rejection.js";

/** Of the calls; long enough for any machine to bring a request to its server. */
const timeoutMs = 1_000;

/** A server that answers while the event loop of the tests is busy, which it is from a request until after `timeoutMs`. */
async function serverElsewhere(head: string, body: Buffer): Promise<string> {
  const state = new Int32Array(new SharedArrayBuffer(4));
  const [idle, busy, answered] = [0, 1, 2];
  const source = `
    const { parentPort, workerData } = require("node:worker_threads");
    const { state } = workerData;
    const server = require("node:net").createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => {
        parentPort.postMessage("read");
        Atomics.wait(state, 0, ${idle});
        socket.write(workerData.head);
        socket.end(workerData.body, () => {
          Atomics.store(state, 0, ${answered});
          Atomics.notify(state, 0);
        });
      });
    });
    server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
  `;
  const worker = new Worker(source, { eval: true, workerData: { head, body, state } });
  onTestFinished(async () => void (await worker.terminate()));
  const [port] = await once(worker, "message");
  worker.once("message", () => {
    Atomics.store(state, 0, busy);
    Atomics.notify(state, 0);
    Atomics.wait(state, 0, busy);
    blockFor(timeoutMs + 100);
  });
  return `http://127.0.0.1:${port}/api/v1`;
}

function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const text = Buffer.from(JSON.stringify({ ...goodBody, padding: "x".repeat(40_000) }));
const head = (headers: string, status = "200 OK") =>
  `HTTP/1.1 ${status}\r\nconnection: close\r\n${headers}\r\n\r\n`;

describe.each(["GET", "POST"] as const)("of a %s", (method) => {
  test.each([
    ["with a length", head(`content-length: ${text.length}`), text],
    [
      "in chunks",
      head("transfer-encoding: chunked"),
      Buffer.concat([Buffer.from(`${text.length.toString(16)}\r\n`), text, Buffer.from("\r\n0\r\n\r\n")]),
    ],
  ])("an answer %s that came in time is no time-out, though nobody could look", async (_, first, body) => {
    const baseUrl = await serverElsewhere(first, body);
    const client = new ScreenshotSets({ apiKey: "key", baseUrl, timeoutMs, maxRetries: 0 });
    expect(await calls[method](client)).toMatchObject(goodBody);
  });
});

test("a wait whose job had ended in time does not miss its deadline, though nobody could look", async () => {
  const job = { id: "job-1", status: "succeeded", result: { device: "iphone-69", slides: [] }, error: null };
  const body = Buffer.from(JSON.stringify(job));
  const baseUrl = await serverElsewhere(head(`content-length: ${body.length}`), body);
  const client = new ScreenshotSets({ apiKey: "key", baseUrl });
  expect(await client.waitForJob("job-1", { timeoutMs })).toMatchObject({ status: "succeeded" });
});

test("a wait whose poll was refused as its deadline passed is told of the deadline, though nobody could look", async () => {
  const baseUrl = await serverElsewhere(head("content-length: 1", "503 Busy"), Buffer.from("x"));
  const client = new ScreenshotSets({ apiKey: "key", baseUrl });
  const error = await rejection(client.waitForJob("job-1", { timeoutMs }));
  expect(error).toMatchObject({ name: "JobTimeoutError", cause: { status: 503 } });
});

test.each([
  ["is told of an answer that came meanwhile", { status: 503 }],
  ["ends without one", undefined],
])("a wait that is held up from its start to its deadline %s", async (_, cause) => {
  const fetch = () => {
    // From an immediate on, the next one comes after the timers that are due, like what has arrived from a socket.
    const arrived = new Promise<Response>((resolve) => {
      if (cause) setImmediate(() => resolve(new Response(null, cause)));
    });
    blockFor(60);
    return arrived;
  };
  const client = new ScreenshotSets({ apiKey: "key", baseUrl: "https://example.com/api/v1", fetch });
  await new Promise(setImmediate);
  const error = await rejection(client.waitForJob("job-1", { timeoutMs: 20 }));
  expect(error).toMatchObject({ name: "JobTimeoutError", polls: 1 });
  expect(error.cause).toEqual(cause && expect.objectContaining(cause));
});

test("a call that is never answered times out late, though timers were faked as the package was imported", async () => {
  vi.useFakeTimers();
  loadOwnModules();
  const { ScreenshotSets } = await import("screenshot-sets");
  vi.useRealTimers();
  const fetch = () => {
    blockFor(50);
    return new Promise<Response>(() => {});
  };
  const settings = { apiKey: "key", baseUrl: "https://example.com/api/v1", timeoutMs: 10, maxRetries: 0 };
  const error = await rejection(new ScreenshotSets({ ...settings, fetch }).jobs.get("job-1"));
  expect(error).toMatchObject({ name: "TimeoutError" });
});
