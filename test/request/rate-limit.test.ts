import { RateLimitError, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { beforeEach, expect, test, vi } from "vitest";
import { rejection } from "../helpers/rejection.js";

const app = { iosUrl: "https://apps.apple.com/us/app/x/id1" };
const params = { appId: "app_1", device: "iphone-69" } as const;
const perSecond = 5;

type Hint = (missing: number) => Record<string, string>;

// The jitter of pauses and polls.
beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0.5));

/** A mock behind a bucket of 5 requests a second on the mock's clock, and how many of them it answered and refused. */
function limited(hint: Hint) {
  const mock = createMock({ allowance: 10_000, lifecycle: { queued: 200, running: 800, unit: "ms" } });
  const { clock, fetch } = mock.clientOptions;
  const seen = { answered: 0, refused: 0 };
  let tokens = perSecond;
  let filledAt = clock.now();
  const bucket: typeof globalThis.fetch = async (...request) => {
    tokens = Math.min(perSecond, tokens + ((clock.now() - filledAt) / 1000) * perSecond);
    filledAt = clock.now();
    if (tokens < 1) {
      seen.refused++;
      return new Response('{"message":"slow down"}', { status: 429, headers: hint(1 - tokens) });
    }
    tokens--;
    seen.answered++;
    return fetch(...request);
  };
  const client = new ScreenshotSets({ ...mock.clientOptions, fetch: bucket });
  return { mock, client, seen };
}

const inMs: Hint = (missing) => ({ "retry-after-ms": String(Math.ceil((missing * 1000) / perSecond)) });

test.each<[count: number, when: string, hint: Hint]>([
  [30, "in seconds", () => ({ "retry-after": "1" })],
  [30, "in milliseconds", inMs],
  [30, "not at all", () => ({})],
  [100, "not at all", () => ({})],
])("%d sets at once all succeed, each charged once, told %s when to come back", async (count, _, hint) => {
  const { mock, client, seen } = limited(hint);
  await client.apps.create(app);
  const startedAt = mock.clock.now();
  const plan = () => client.screenshots.createAndWait(params);
  const sets = await Promise.all(Array.from({ length: count }, plan));
  expect(new Set(sets.map(({ id }) => id)).size).toBe(count);
  expect(mock.credits.used).toBe(10 * count);
  const bestMs = ((seen.answered - perSecond) / perSecond) * 1000;
  expect((mock.clock.now() - startedAt) / bestMs).toBeLessThan(1.5);
  expect(seen.answered).toBeLessThan(4 * count);
  expect(seen.refused).toBeLessThan(5 * count);
});

test("an abort ends a call that pauses with the others at once, and the others go on", async () => {
  const { mock, client } = limited(() => ({ "retry-after": "30" }));
  await client.apps.create(app);
  const controller = new AbortController();
  const others = Promise.all(Array.from({ length: 9 }, () => client.screenshots.create(params)));
  const aborted = client.screenshots.create(params, { signal: controller.signal });
  const startedAt = mock.clock.now();
  setTimeout(() => controller.abort("enough"), 0);
  expect(await rejection(aborted)).toBe("enough");
  expect(mock.clock.now() - startedAt).toBeLessThanOrEqual(30_000);
  await others;
  expect(mock.credits.used).toBeGreaterThanOrEqual(90);
});

/** A service that answers 429 until a time on the mock's clock, and how often it was asked. */
function refusingUntil(untilMs: number, headers: Record<string, string> = {}) {
  const mock = createMock();
  const { clock, fetch } = mock.clientOptions;
  const startedAt = clock.now();
  const asked: number[] = [];
  const refusing: typeof globalThis.fetch = async (...request) => {
    asked.push(clock.now() - startedAt);
    if (clock.now() - startedAt >= untilMs) return fetch(...request);
    return new Response("", { status: 429, headers });
  };
  const client = new ScreenshotSets({ ...mock.clientOptions, fetch: refusing });
  return { mock, client, asked, elapsedMs: () => clock.now() - startedAt };
}

// A service that says "at once" and goes on refusing is asked less and less often.
test.each([
  [120_000, {}, 25],
  [60_000, { "retry-after": "0" }, 20],
])("a call refused for %d ms with %j takes less than %d requests", async (untilMs, headers, most) => {
  const { mock, client, asked } = refusingUntil(untilMs, headers);
  const older = client.apps.create(app);
  await mock.clock.sleep(10);
  // The older one goes first, however often it is refused.
  const onResponse = vi.fn();
  await Promise.all([older, client.apps.create(app, { onResponse })]);
  expect(onResponse).toHaveBeenCalledOnce();
  expect(asked.length).toBeLessThan(most);
});

test("a refusal is final five minutes after the call began, or at once without retries", async () => {
  const { client, elapsedMs } = refusingUntil(Number.POSITIVE_INFINITY, { "retry-after": "50" });
  for (const [maxRetries, attempts, endedAt] of [
    [1, 7, 300_000],
    [0, 1, 350_000],
  ]) {
    const error = await rejection(client.apps.create(app, { maxRetries }));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ charged: "no", isRetryable: true, attempts });
    expect(elapsedMs()).toBe(endedAt);
  }
});

test("a time above 60 s fails the call that was told it, and pauses the others for 60 s", async () => {
  const { client, asked } = refusingUntil(1, { "retry-after": "600" });
  expect(await rejection(client.apps.create(app))).toMatchObject({ retryAfterMs: 600_000, attempts: 1 });
  await client.apps.create(app);
  expect(asked).toEqual([0, 60_000]);
});

test("a copy of the client with the same key pauses with it, one with another key does not", async () => {
  const { mock, client, asked } = refusingUntil(1, { "retry-after": "20" });
  await rejection(client.apps.create(app, { maxRetries: 0 }));
  const other = client.withOptions({ apiKey: mock.account().clientOptions.apiKey });
  await rejection(other.jobs.get("job_1", { maxRetries: 0 }));
  await client.withOptions({ timeoutMs: 1000 }).apps.create(app);
  expect(asked).toEqual([0, 0, 20_000]);
});

test("one request that hangs holds up the others for 3 s, not for its whole time-out", async () => {
  const mock = createMock();
  const client = new ScreenshotSets(mock.clientOptions);
  mock.fault({ status: 429, retryAfter: 1 });
  mock.fault("hang");
  const startedAt = mock.clock.now();
  await rejection(client.apps.create(app, { maxRetries: 0 }));
  const hanging = rejection(client.apps.create(app));
  await client.apps.create(app);
  expect(mock.clock.now() - startedAt).toBeLessThan(6_000);
  await hanging;
});

test("after a 429, more and more requests are in flight again", async () => {
  const mock = createMock();
  const client = new ScreenshotSets(mock.clientOptions);
  mock.fault({ status: 429, retryAfter: 1 });
  mock.fault({ latencyMs: 1_000 }, { times: Number.POSITIVE_INFINITY });
  await client.apps.create(app);
  const startedAt = mock.clock.now();
  await Promise.all(Array.from({ length: 20 }, () => client.apps.create(app)));
  expect(mock.clock.now() - startedAt).toBeLessThan(10_000);
});

test("a reset of the mock ends a pause", async () => {
  const mock = createMock();
  const client = new ScreenshotSets(mock.clientOptions);
  mock.fault({ status: 429, retryAfter: 50 });
  await rejection(client.apps.create(app, { maxRetries: 0 }));
  mock.reset();
  const startedAt = mock.clock.now();
  await client.apps.create(app);
  expect(mock.clock.now()).toBe(startedAt);
});
