import { createServer } from "node:http";
import { ScreenshotSets, setCost } from "screenshot-sets";
import { memoryStore } from "screenshot-sets/durable";
import { createMock } from "screenshot-sets/mock";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Message, work } from "../../examples/queue-worker.js";
import { createHandler } from "../../examples/web-handler.js";
import { defaultCount } from "../../src/generated/values.js";
import { listening } from "../helpers/raw-server.js";

const iosUrl = "https://apps.apple.com/us/app/example/id1234567890";

/** The web service on loopback, in front of a mock. */
async function serveExample(mock = createMock({ allowance: setCost })) {
  const server = createServer(createHandler(new ScreenshotSets(mock.clientOptions)));
  const port = await listening(server);
  onTestFinished(() => void server.close());
  const log = vi.spyOn(console, "error").mockReturnValue();

  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    return { status: response.status, body: await response.json() };
  };
  const plan = (body: unknown) => ask("/", { method: "POST", body: JSON.stringify(body) });
  return { ask, plan, log, mock };
}

test("the web service accepts a set and shows its job until it has ended", async () => {
  const { ask, plan } = await serveExample();
  const { status, body } = await plan({ iosUrl, device: "iphone-69" });
  expect([status, Number(body.creditsLeft)]).toEqual([202, 0]);

  const looks = [await ask(`/${body.jobId}`), await ask(`/${body.jobId}`), await ask(`/${body.jobId}`)];
  expect(looks.map((look) => look.body.status)).toEqual(["queued", "running", "succeeded"]);
  expect(looks[2]?.body.slides).toHaveLength(defaultCount);
});

test("the web service tells the caller what the caller can mend, and logs the rest", async () => {
  const { ask, plan, log, mock } = await serveExample();
  expect(await plan({ iosUrl, device: "iphone-1" })).toMatchObject({
    status: 400,
    body: { issues: [{ path: ["device"], message: expect.stringContaining('"iphone-69"') }] },
  });
  expect(mock.requests()).toEqual([]);
  expect(await plan({ iosUrl: 1, device: "iphone-69" })).toMatchObject({
    status: 400,
    body: { issues: [{ path: ["iosUrl"] }] },
  });
  expect(await plan(null)).toMatchObject({ status: 400 });
  expect(await ask("/job-of-nobody")).toMatchObject({ status: 404 });
  expect(await ask("/..")).toMatchObject({ status: 404 });
  expect(log).not.toHaveBeenCalled();

  mock.credits.set(0);
  expect(await plan({ iosUrl, device: "iphone-69" })).toMatchObject({ status: 503 });
  mock.fault({ status: 403 }, { operation: "createScreenshots" });
  expect(await plan({ iosUrl, device: "iphone-69" })).toMatchObject({ status: 502 });
  // With an idempotency key in the document, a create is sent again.
  mock.fault({ status: 500 }, { operation: "createScreenshots", times: Infinity });
  const { status, body } = await plan({ iosUrl, device: "iphone-69" });
  expect([status, body.message]).toEqual([500, expect.not.stringContaining("again")]);
  expect(log.mock.calls.map(([, fields]) => fields.charged)).toEqual(["no", "no", "maybe"]);
});

type Mock = ReturnType<typeof createMock>;

/**
 * Hands a message out until the worker is done with it, on the mock's clock. `dies` says in which handouts the worker dies
 * before it says what it wants done, twice over by a queue that hands each message to two workers at once.
 */
async function runQueue(mock: Mock, message: Message, dies: number[] = [], store = memoryStore()) {
  for (let handouts = 1; ; handouts++) {
    // Each time another process, with a client of its own.
    const handOut = () => work(new ScreenshotSets(mock.clientOptions), store, message);
    const [verdict] = await Promise.all([handOut(), handOut()]);
    if (dies.includes(handouts)) continue;
    if (verdict.do !== "retry") return { verdict, handouts };
    await mock.clock.sleep(verdict.afterMs);
  }
}

async function wantedOn(mock: Mock, id = "order-7"): Promise<Message> {
  const { appId } = await new ScreenshotSets(mock.clientOptions).apps.create({ iosUrl });
  return { id, wanted: { appId, device: "iphone-69", count: 3 } };
}

/** Failures that pass, of a create and of looks. */
function fail(mock: Mock): void {
  mock.fault("reset", { operation: "getJob", skip: 2, times: 3 });
  mock.fault({ status: 429 }, { operation: "createScreenshots", times: 3 });
}

test.each<[string, (mock: Mock) => void, number[]]>([
  ["failures that pass", fail, []],
  ["its death when the create was answered", () => {}, [1]],
  ["its death after a look", () => {}, [2]],
])("the queue's worker goes on after %s, and pays once for two deliveries", async (_, arrange, dies) => {
  const mock = createMock({ lifecycle: { queued: 60_000, running: 60_000, unit: "ms" } });
  const message = await wantedOn(mock);
  arrange(mock);
  const { verdict, handouts } = await runQueue(mock, message, dies);
  expect(verdict).toMatchObject({ do: "finish", slides: { length: 3 } });
  expect(handouts).toBeGreaterThan(3);
  expect(mock.credits.ledger()).toHaveLength(1);
});

test("the queue's worker gives up on a job that failed, and on a create that may have been charged", async () => {
  const mock = createMock();
  mock.nextJob({ outcome: "failed", error: { message: "no listing" } });
  const failed = await runQueue(mock, await wantedOn(mock));
  expect(failed.verdict).toEqual({ do: "give up", reason: expect.stringContaining("no listing") });

  mock.fault("reset", { operation: "createScreenshots", when: "after" });
  const unclear = await runQueue(mock, await wantedOn(mock, "order-8"));
  expect(unclear.verdict).toMatchObject({
    do: "give up",
    reason: expect.stringContaining("(charged: maybe)"),
  });
  expect(mock.credits.ledger()).toHaveLength(2);
});

test("the queue's worker waits while a create may be under way, and gives up when it must be over", async () => {
  const mock = createMock();
  const message = await wantedOn(mock);
  const store = memoryStore();
  const startedAt = mock.clock.now();
  // It dies in the create.
  mock.fault("hang", { operation: "createScreenshots", when: "after" });
  void work(new ScreenshotSets({ ...mock.clientOptions, timeoutMs: Infinity }), store, message);
  const { verdict } = await runQueue(mock, message, [], store);
  expect(verdict).toMatchObject({ do: "give up", reason: expect.stringContaining("(charged: maybe)") });
  expect((mock.clock.now() - startedAt) / 60_000).toBeCloseTo(3, 0);
  expect(mock.credits.ledger()).toHaveLength(1);
});
