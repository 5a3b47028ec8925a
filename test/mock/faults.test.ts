import { getEventListeners } from "node:events";
import { createMock, type Fault, type FaultTarget } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { asking, minute, openMock, second, start } from "./ask.js";

const set = { device: "iphone-69", count: 1 };

async function open() {
  const { mock, createApp, send, look } = openMock();
  const appId = await createApp();
  const createSet = (init?: RequestInit) => send("/public/v1/screenshots", { ...set, appId }, init);
  return { mock, createSet, look };
}

const json = { "content-type": "application/json" };

test.each<[fault: Fault, headers: object, text: unknown, guesses?: string[]]>([
  [
    { status: 429, retryAfter: 2, body: { slow: "down" }, headers: { "X-Request-Id": "r1" } },
    { ...json, "retry-after": "2", "x-request-id": "r1" },
    '{"slow":"down"}',
  ],
  [
    { status: 429, retryAfter: 2, body: "", headers: { "Retry-After": "7", "Content-Type": "a/b" } },
    { "content-type": "a/b", "retry-after": "7" },
    "",
  ],
  [
    { status: 502, body: "\n<h1>Bad gateway</h1>" },
    { "content-type": "text/html" },
    "\n<h1>Bad gateway</h1>",
  ],
  [{ status: 200, body: "busy" }, { "content-type": "text/plain" }, "busy"],
  [{ status: 204, body: "" }, { "content-type": "text/plain" }, ""],
  [{ status: 599 }, json, expect.stringMatching(/^\{"error":\{"code":"fault".*599/), ["errorBody"]],
])("answers as the fault %j says, with a body of its own only where none is given", async (...row) => {
  const [fault, headers, text, guesses = []] = row;
  const { mock, createSet } = await open();
  mock.fault(fault);

  const response = await createSet();

  expect(response.status).toBe((fault as { status: number }).status);
  expect(Object.fromEntries(response.headers)).toEqual(headers);
  expect(await response.text()).toEqual(text);
  expect(mock.requests().at(-1)?.guesses).toEqual(guesses);
});

test.each<[Fault, "before" | "after", outcome: unknown, ms: number, chargedAtMs: number | undefined]>([
  [{ status: 503 }, "before", 503, 0, undefined],
  [{ status: 503 }, "after", 503, 0, 0],
  [{ latencyMs: minute }, "before", 201, minute, minute],
  [{ latencyMs: minute }, "after", 201, minute, 0],
  [{ status: 503, latencyMs: minute }, "after", 503, minute, 0],
  ["reset", "before", "fetch failed", 0, undefined],
  ["reset", "after", "fetch failed", 0, 0],
  ["malformed", "before", 201, 0, 0],
  ["truncated", "before", 201, 0, 0],
])("applies a request with %j %s: %s after %i ms, charged at %s", async (...row) => {
  const [fault, when, outcome, ms, chargedAtMs] = row;
  const { mock, createSet } = await open();
  mock.fault(fault, { when });

  const answered = await createSet().then(
    ({ status }) => status,
    ({ message }) => message,
  );

  expect([answered, mock.clock.now() - start]).toEqual([outcome, ms]);
  const charges = mock.credits.ledger().map(({ time }) => time - start);
  expect(charges).toEqual(chargedAtMs === undefined ? [] : [chargedAtMs]);
});

test.each<[Fault, "before" | "after", used: number]>([
  ["hang", "before", 0],
  ["hang", "after", 10],
  [{ latencyMs: 90 * second }, "before", 0],
])("stops no clock with %j %s, and ends when the caller gives up", async (fault, when, used) => {
  const { mock, createSet } = await open();
  mock.fault(fault, { when });
  const controller = new AbortController();
  const reason = new Error("enough");

  const pending = createSet({ signal: controller.signal });
  await mock.clock.sleep(minute);
  controller.abort(reason);

  expect(await rejection(pending)).toBe(reason);
  expect(mock.clock.now() - start).toBe(minute);
  await mock.clock.advance(minute);
  expect(mock.credits.used).toBe(used);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});

test("breaks a connection as Node's fetch reports it, before an answer or in its middle", async () => {
  const { mock, createSet } = await open();
  mock.fault("reset");
  mock.fault("truncated");

  const reset = await rejection(createSet());
  const response = await createSet();
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  const terminated = await rejection(reader.read());

  expect(reset).toBeInstanceOf(TypeError);
  expect(reset).toMatchObject({ message: "fetch failed", cause: { code: "ECONNRESET", syscall: "read" } });
  expect(new TextDecoder().decode(value)).toMatch(/^\{"jobId":"job_1"/);
  expect(terminated).toBeInstanceOf(TypeError);
  expect(terminated).toMatchObject({ message: "terminated", cause: { code: "UND_ERR_SOCKET" } });
});

test.each<[faults: [Fault, FaultTarget?][], statuses: number[]]>([
  [[[{ status: 500 }, { skip: 1, times: 2 }]], [201, 500, 500, 201, 201]],
  [[[{ status: 503 }, { times: Number.POSITIVE_INFINITY }]], Array(9).fill(503)],
  [[[{ status: 503 }, { skip: Number.POSITIVE_INFINITY }]], [201, 201]],
  [[[{ status: 503 }, { operation: "getJob" }]], [201, 201]],
  [[[{ status: 503 }, { operation: "createScreenshots" }]], [503, 201]],
  [
    [[{ status: 500 }], [{ status: 502 }, { times: 2 }], [{ status: 503 }, { skip: 4 }]],
    [500, 502, 502, 201, 503, 201],
  ],
])("meets requests as told, in the order in which faults were given: %j", async (faults, statuses) => {
  const { mock, createSet } = await open();
  for (const [fault, target] of faults) mock.fault(fault, target);

  for (const status of statuses) expect((await createSet()).status).toBe(status);
});

test("lets a fault be met by one account alone, the first one included", async () => {
  const mock = createMock();
  const other = mock.account();
  mock.fault({ status: 503 }, { account: other, times: 2, skip: 1 });
  mock.fault({ status: 429 }, { account: mock, operation: "createApp" });
  const statuses = [];
  for (const account of [other, mock, mock, other, other, other]) {
    statuses.push((await asking(account).send("/public/v1/apps", { iosUrl: "https://a" })).status);
  }

  expect(statuses).toEqual([200, 429, 200, 503, 503, 200]);
});

test("checks keys before faults, and uses no fault up on a refused key", async () => {
  const { mock, look } = await open();
  mock.fault({ status: 503 });

  expect((await look("job_1", { headers: {} })).status).toBe(401);
  expect((await look("job_1", { headers: { "x-api-key": "wrong" } })).status).toBe(401);
  expect((await look("job_1")).status).toBe(503);
});

const objectForms =
  'Expected a fault: an object such as { status: 503 }, { status: 429, retryAfter: 5 } or { latencyMs: 2000 }, or one of "reset", "hang", "malformed", "truncated", got ';

test.each<[fault: unknown, says: string, options?: object]>([
  ["explosion", `${objectForms}"explosion"`],
  [null, `${objectForms}null`],
  [{}, "Expected the `status` of the answer in the fault, or nothing but `latencyMs`"],
  [{ latencyMs: 5, retryAfter: 1 }, "Expected the `status` of the answer"],
  [{ latency: 5 }, "`mock.fault` has no option `latency`. Did you mean `latencyMs`?"],
  [{ status: 500, retryAfterMs: 5 }, "`mock.fault` has no option `retryAfterMs`. Did you mean `retryAfter`?"],
  [{ status: 199 }, "Expected `status` to be an integer from 200 to 599, got 199"],
  [{ status: 600 }, "Expected `status` to be an integer from 200 to 599, got 600"],
  [{ latencyMs: -1 }, "Expected `latencyMs` to be a number of 0 or more, got -1"],
  [{ status: 503, retryAfter: Number.POSITIVE_INFINITY }, "Expected `retryAfter` to be a number of 0"],
  [{ status: 503, body: 10n }, "BigInt"],
  [{ status: 503, headers: { "two words": "x" } }, "two words"],
  [{ status: 503, headers: { "x-note": "5 €" } }, "x-note"],
  [{ status: 503, headers: new Headers({ "x-note": "a" }) }, "headers"],
  ["reset", "`mock.fault` has no option `time`. Did you mean `times`?", { time: 2 }],
  ["reset", "times", { times: 0 }],
  ["reset", "skip", { skip: -1 }],
  ["reset", "when", { when: "during" }],
  ["reset", "Expected `operation` to be ", { operation: "getjob" }],
])("refuses the fault %o: %s", (fault, says, options) => {
  expect(() => createMock().fault(fault as never, options)).toThrow(says);
});
