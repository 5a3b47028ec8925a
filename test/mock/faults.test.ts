import { getEventListeners } from "node:events";
import { createMock, type Fault } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { operationNames } from "../../src/generated/values.js";
import { rejection } from "../helpers/rejection.js";
import { asking, minute, second } from "./ask.js";

const start = Date.UTC(2026, 0, 1);
const set = { device: "iphone-69", count: 1 };

async function open() {
  const mock = createMock();
  const { createApp, send, ask, look } = asking(mock);
  const appId = await createApp();
  const createSet = (init?: RequestInit) => send("/public/v1/screenshots", { ...set, appId }, init);
  return { mock, createSet, ask, look };
}

test("answers with the status, the headers, the body and the time to come back that a fault says", async () => {
  const { mock, createSet } = await open();
  mock.fault({
    status: 429,
    retryAfter: 2,
    body: { detail: "slow down" },
    headers: { "X-Request-Id": "r1" },
  });

  const response = await createSet();

  expect(response.status).toBe(429);
  expect(await response.json()).toEqual({ detail: "slow down" });
  expect(Object.fromEntries(response.headers)).toEqual({
    "content-type": "application/json",
    "retry-after": "2",
    "x-request-id": "r1",
  });
  expect(mock.credits.ledger()).toEqual([]);
});

test("sends its own headers once, however they are written, and none that were not asked for", async () => {
  const { mock, createSet } = await open();
  mock.fault({
    status: 429,
    retryAfter: 2,
    body: "",
    headers: { "Retry-After": "7", "Content-Type": "a/b" },
  });
  mock.fault({ status: 503, body: { busy: true } });

  const [both, plain] = [await createSet(), await createSet()];

  expect(Object.fromEntries(both.headers)).toEqual({ "content-type": "a/b", "retry-after": "7" });
  expect(Object.fromEntries(plain.headers)).toEqual({ "content-type": "application/json" });
});

test("rests on a guess only where the body of an error is left to the mock", async () => {
  const { mock, createSet } = await open();
  for (const fault of [{ status: 500 }, { status: 500, body: {} }, { status: 500, body: "" }])
    mock.fault(fault);
  mock.fault("reset");
  for (let request = 0; request < 4; request++) await createSet().catch(() => {});

  const guesses = mock.requests({ operation: "createScreenshots" }).map((entry) => entry.guesses);
  expect(guesses).toEqual([["errorBody"], [], [], []]);
});

test("sends a text as it is, and a body of the mock's making where a fault has none", async () => {
  const { mock, createSet } = await open();
  mock.fault({ status: 502, body: "\n<h1>Bad gateway</h1>" });
  mock.fault({ status: 503, body: "busy" });
  mock.fault({ status: 500 });
  mock.fault({ status: 204, body: "" });

  const [html, text, json, none] = [
    await createSet(),
    await createSet(),
    await createSet(),
    await createSet(),
  ];

  expect([html.headers.get("content-type"), await html.text()]).toEqual([
    "text/html",
    "\n<h1>Bad gateway</h1>",
  ]);
  expect([text.headers.get("content-type"), await text.text()]).toEqual(["text/plain", "busy"]);
  expect(await json.json()).toEqual({ error: { code: "fault", message: expect.stringContaining("500") } });
  expect([none.status, await none.text()]).toEqual([204, ""]);
});

test("keeps to a fault as it was armed", async () => {
  const { mock, createSet } = await open();
  const fault = { status: 503, body: { reason: "armed" }, headers: { "x-note": "armed" } };
  mock.fault(fault);
  fault.status = 429;
  fault.body.reason = fault.headers["x-note"] = "changed";

  const late = { latencyMs: 5 };
  mock.fault(late);
  late.latencyMs = minute;

  const response = await createSet();
  expect([response.status, response.headers.get("x-note")]).toEqual([503, "armed"]);
  expect(await response.json()).toEqual({ reason: "armed" });
  await createSet();
  expect(mock.clock.now() - start).toBe(5);
});

test("answers late, on the mock's clock, without holding it up", async () => {
  const { mock, createSet } = await open();
  mock.fault({ latencyMs: 90 * second });
  const woken = mock.clock.sleep(60 * second).then(() => mock.clock.now() - start);

  const response = await createSet();

  expect(response.status).toBe(201);
  expect(await woken).toBe(60 * second);
  expect(mock.clock.now() - start).toBe(90 * second);
  expect(mock.credits.ledger()).toMatchObject([{ time: start + 90 * second }]);
});

test("applies a late request first when told to", async () => {
  const { mock, createSet } = await open();
  mock.fault({ latencyMs: 90 * second }, { when: "after" });

  const response = await createSet();

  expect(response.status).toBe(201);
  expect(mock.credits.ledger()).toMatchObject([{ time: start }]);
  expect(mock.clock.now() - start).toBe(90 * second);
});

test("breaks the connection as Node's fetch reports it", async () => {
  const { mock, createSet } = await open();
  mock.fault("reset");

  const error = await rejection(createSet());

  expect(error).toBeInstanceOf(TypeError);
  expect(error).toMatchObject({ message: "fetch failed", cause: { code: "ECONNRESET", syscall: "read" } });
  expect(mock.credits.ledger()).toEqual([]);
});

test("never answers a hanging request, which stops no clock, until its caller gives up", async () => {
  const { mock, createSet } = await open();
  mock.fault("hang");
  const controller = new AbortController();
  const reason = new Error("enough");

  const hanging = createSet({ signal: controller.signal });
  await mock.clock.sleep(60 * second);
  controller.abort(reason);

  expect(await rejection(hanging)).toBe(reason);
  expect(mock.clock.now() - start).toBe(60 * second);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});

test("rejects a hanging request whose caller gave up before, with the reason", async () => {
  const { mock, createSet } = await open();
  mock.fault("hang");
  expect(await rejection(createSet({ signal: AbortSignal.abort("enough") }))).toBe("enough");
});

test("ends a late request when its caller gives up, before it is applied", async () => {
  const { mock, createSet } = await open();
  mock.fault({ latencyMs: 90 * second });
  const controller = new AbortController();

  const late = createSet({ signal: controller.signal });
  await mock.clock.sleep(60 * second);
  controller.abort("enough");

  expect(await rejection(late)).toBe("enough");
  await mock.clock.advance(60 * second);
  expect(mock.credits.ledger()).toEqual([]);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});

test("puts HTML in the place of an answer whose request it applied", async () => {
  const { mock, createSet } = await open();
  mock.fault("malformed");

  const response = await createSet();

  expect(response.status).toBe(201);
  expect(response.headers.get("content-type")).toBe("text/html");
  expect(await response.text()).toMatch(/^<!doctype html>/);
  expect(mock.credits.used).toBe(10);
});

test("breaks off in the middle of an answer whose request it applied", async () => {
  const { mock, createSet } = await open();
  mock.fault("truncated");

  const response = await createSet();
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  const error = await rejection(reader.read());

  expect(response.status).toBe(201);
  expect(new TextDecoder().decode(value)).toMatch(/^\{"jobId":"job_1"/);
  expect(error).toBeInstanceOf(TypeError);
  expect(error).toMatchObject({ message: "terminated", cause: { code: "UND_ERR_SOCKET" } });
  expect(mock.credits.used).toBe(10);
});

test.each<[string, Fault]>([
  ["a status", { status: 500 }],
  ["a reset", "reset"],
])("applies a request before its answer is lost to %s, when told to", async (_, fault) => {
  const { mock, createSet } = await open();
  mock.fault(fault, { when: "after" });

  await createSet().catch(() => undefined);

  expect(mock.credits.ledger()).toMatchObject([{ amount: -10, jobId: "job_1" }]);
  expect(mock.jobs.get("job_1").status).toBe("queued");
  expect((await createSet()).status).toBe(201);
});

test("applies a request before it hangs, when told to", async () => {
  const { mock, createSet } = await open();
  mock.fault("hang", { when: "after" });
  const controller = new AbortController();

  const hanging = createSet({ signal: controller.signal });
  await mock.clock.sleep(second);
  controller.abort("enough");

  expect(await rejection(hanging)).toBe("enough");
  expect(mock.credits.used).toBe(10);
});

test("refuses what it would refuse without the fault too, and charges nothing for it", async () => {
  const { mock, ask } = await open();
  mock.fault("reset", { when: "after" });

  await rejection(ask("/public/v1/screenshots", { ...set, appId: "app_99" }));

  expect(mock.credits.ledger()).toEqual([]);
});

test("meets only the operation, only as often and only as late as told", async () => {
  const { mock, createSet, look } = await open();
  mock.fault({ status: 500 }, { operation: "getJob", skip: 1, times: 2 });

  const statuses = [(await createSet()).status];
  for (let read = 0; read < 5; read++) statuses.push((await look("job_1")).status);

  expect(statuses).toEqual([201, 200, 500, 500, 200, 200]);
});

test("meets requests for good with endless times", async () => {
  const { mock, look } = await open();
  mock.fault({ status: 503 }, { times: Number.POSITIVE_INFINITY });

  for (let read = 0; read < 20; read++) expect((await look("job_1")).status).toBe(503);
});

test("uses faults in the order in which they were given, each at its own place", async () => {
  const { mock, createSet } = await open();
  mock.fault({ status: 500 });
  mock.fault({ status: 502 }, { times: 2 });
  mock.fault({ status: 503 }, { skip: 4 });

  const statuses: number[] = [];
  for (let call = 0; call < 6; call++) statuses.push((await createSet()).status);

  expect(statuses).toEqual([500, 502, 502, 201, 503, 201]);
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

test.each<[fault: unknown, options: unknown, says: string]>([
  ["explosion", {}, `${objectForms}"explosion"`],
  ["status", {}, `${objectForms}"status"`],
  [503, {}, `${objectForms}503`],
  [null, {}, `${objectForms}null`],
  [undefined, {}, `${objectForms}undefined`],
  [{}, {}, "Expected the `status` of the answer in the fault, or nothing but `latencyMs`"],
  [{ latencyMs: 5, retryAfter: 1 }, {}, "Expected the `status` of the answer"],
  [{ body: {} }, {}, "Expected the `status` of the answer"],
  ...[199, 600, 200.5, "503"].map((status): [unknown, unknown, string] => [
    { status },
    {},
    `Expected \`status\` to be an integer from 200 to 599, got ${status}`,
  ]),
  ...[-1, Number.POSITIVE_INFINITY, "5", null].flatMap((wrong): [unknown, unknown, string][] => [
    [{ latencyMs: wrong }, {}, "`latencyMs`"],
    [{ status: 503, retryAfter: wrong }, {}, "`retryAfter`"],
  ]),
  [{ status: 503, headers: { "two words": "x" } }, {}, "two words"],
  [{ status: 503, headers: { "": "x" } }, {}, "header"],
  [{ status: 503, headers: { "x-note": "two\nlines" } }, {}, "x-note"],
  [{ status: 503, headers: { "x-note": "5 €" } }, {}, "x-note"],
  [{ status: 503, headers: new Headers({ "x-note": "a" }) }, {}, "headers"],
  [{ status: 503, headers: "x-note: a" }, {}, "headers"],
  ["reset", { times: 0 }, "times"],
  ["reset", { times: 1.5 }, "times"],
  ["reset", { skip: -1 }, "skip"],
  ["reset", { when: "during" }, "when"],
  [
    "reset",
    { operation: "getjob" },
    `Expected \`operation\` to be ${operationNames.join(", ")} or undefined`,
  ],
])("refuses the fault %j with %j: %s", (fault, options, says) => {
  expect(() => createMock().fault(fault as never, options as never)).toThrow(says);
});

test("answers late with a status of its own, before or after the request is applied", async () => {
  const { mock, createSet } = await open();
  const fault = { status: 503, latencyMs: 5 * second };
  mock.fault(fault);
  mock.fault(fault, { when: "after" });

  for (const [took, used] of [
    [5, 0],
    [10, 10],
  ] as const) {
    expect(await createSet()).toMatchObject({ status: 503 });
    expect([mock.clock.now() - start, mock.credits.used]).toEqual([took * second, used]);
  }
});

test("takes faults to the bounds of what can be", async () => {
  const { mock, createSet } = await open();
  for (const status of [200, 599]) {
    mock.fault({ status });
    expect(await createSet()).toMatchObject({ status });
  }
  mock.fault({ latencyMs: 0 });
  expect(await createSet()).toMatchObject({ status: 201 });
});
