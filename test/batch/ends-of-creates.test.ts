import { ScreenshotSets, type ScreenshotSetsError } from "screenshot-sets";
import { runBatch } from "screenshot-sets/batch";
import type { Fault } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { batchScene, creates, short } from "../helpers/batch-scene.js";

const fetchFailing = (fields: object) => () =>
  Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error("down"), fields) }));

/** How the create of the first set ends: with the fault of the mock, or the failure of `fetch` or of the key. */
interface End {
  fault?: Fault;
  when?: "after";
  fetch?: () => Promise<never>;
  apiKey?: () => never;
  params?: object;
}

/** A create that nobody knows the end of. */
const maybe = ["uncertain: maybe", "goes on", "uncertain: maybe"] as const;
const refused = (status: number, headers?: Record<string, string>): End => ({
  fault: { status, ...(headers && { headers }) },
});
const afterwards = (fault: Fault): End => ({ fault, when: "after" });

/**
 * For each row of the README's table of errors: what the first of three sets becomes, what the batch does with the others,
 * and what the first becomes in a later run.
 */
const table: Record<
  string,
  [end: End, name: string, becomes: string, then: "goes on" | "ends", later: string][]
> = {
  ConfigurationError: [
    [{ apiKey: () => expect.fail("no vault") }, "ConfigurationError", "failed: no", "ends", "succeeded"],
  ],
  InvalidRequestError: [
    [{ params: { count: 11 } }, "InvalidRequestError", "failed: no", "goes on", "failed: no"],
  ],
  "BadRequestError 400, …": [
    [refused(400), "BadRequestError", "failed: no", "goes on", "succeeded"],
    [refused(401), "AuthenticationError", "failed: no", "ends", "succeeded"],
    [refused(402), "PaymentRequiredError", "skipped: credits", "ends", "succeeded"],
    [refused(403), "PermissionDeniedError", "failed: no", "goes on", "succeeded"],
    [refused(404), "NotFoundError", "failed: no", "goes on", "succeeded"],
    [refused(409), "ConflictError", "failed: no", "goes on", "succeeded"],
    [refused(422), "UnprocessableEntityError", "failed: no", "goes on", "succeeded"],
    [refused(418), "ApiError", "failed: no", "goes on", "succeeded"],
  ],
  "RateLimitError 429": [
    [refused(429, { "retry-after": "3" }), "none: it is sent again", "succeeded", "goes on", "succeeded"],
    [refused(429, { "retry-after": "600" }), "RateLimitError", "failed: no", "goes on", "succeeded"],
  ],
  "ServerError 5xx": [
    [refused(500), "ServerError", ...maybe],
    [refused(503, { "retry-after": "1" }), "ServerError", ...maybe],
    [afterwards({ status: 504 }), "ServerError", ...maybe],
    // Another job that the answer names.
    [{ fault: { status: 503, body: { running: [{ jobId: "job_2" }] } } }, "ServerError", ...maybe],
    [refused(408), "ApiError", ...maybe],
  ],
  "ConnectionError, TimeoutError": [
    [afterwards("reset"), "ConnectionError", ...maybe],
    [{ fetch: fetchFailing({ code: "ERR_SSL_WRONG_VERSION_NUMBER" }) }, "ConnectionError", ...maybe],
    [
      { fetch: fetchFailing({ code: "ECONNREFUSED" }) },
      "ConnectionError",
      "failed: no",
      "goes on",
      "succeeded",
    ],
    [
      { fetch: fetchFailing({ code: "CERT_HAS_EXPIRED" }) },
      "ConnectionError",
      "failed: no",
      "goes on",
      "succeeded",
    ],
    [{ fault: "hang" }, "TimeoutError", ...maybe],
    [{ fault: { latencyMs: 61_000 }, when: "after" }, "TimeoutError", ...maybe],
  ],
  InvalidResponseError: [
    [afterwards("malformed"), "InvalidResponseError", ...maybe],
    [refused(301), "InvalidResponseError", ...maybe],
    [afterwards({ status: 201, body: {} }), "InvalidResponseError", ...maybe],
    // A body that breaks off may still name the job.
    [afterwards("truncated"), "none: it is accepted", "succeeded", "goes on", "succeeded"],
  ],
};

const rows = Object.entries(table).flatMap(([row, ends]) => ends.map((end) => [row, ...end] as const));

test.each(rows)("%s: after %j (%s) the set is %s, the batch %s, and a later run says %s", async (...row) => {
  const [, end, name, becomes, then, later] = row;
  const { mock, client, sets, store } = await batchScene(3);
  const { a, ...others } = sets;
  const first = { a: { ...a, ...end.params }, ...others } as typeof sets;
  if (end.fault) mock.fault(end.fault, { operation: "createScreenshots", when: end.when });
  let hasFailed = false;
  const fetch: typeof globalThis.fetch = (url, init) => {
    const fails =
      end.fetch && init?.method === "POST" && JSON.parse(String(init.body)).device === "iphone-69";
    // The third set has the device of the first.
    if (fails && (becomes.startsWith("failed") || !hasFailed) && creates(mock) === 0) {
      hasFailed = true;
      return end.fetch?.() as Promise<never>;
    }
    return mock.fetch(url, init);
  };
  const failing = new ScreenshotSets({
    ...mock.clientOptions,
    fetch,
    ...(end.apiKey && { apiKey: end.apiKey }),
  });

  const outcomes = [];
  let rejected: unknown;
  try {
    for await (const outcome of runBatch(failing, { sets: first, store, concurrency: 1 }))
      outcomes.push(outcome);
  } catch (error) {
    rejected = error;
  }
  const ofOthers = then === "ends" ? expect.stringMatching(/^skipped: (aborted|credits)$/) : "succeeded";
  expect(short(outcomes)).toEqual({ a: becomes, b: ofOthers, c: ofOthers });
  // Only what each further set would meet, too, makes the batch reject.
  expect(rejected !== undefined).toBe(then === "ends" && becomes.startsWith("failed"));
  const error = (outcomes.find(({ key }) => key === "a")?.error ?? {}) as Partial<ScreenshotSetsError>;
  const cause = error.cause as { name?: string } | undefined;
  if (becomes.startsWith("failed")) expect(error.name).toBe(name);
  if (becomes.startsWith("uncertain"))
    expect([error.name, cause?.name]).toEqual(["CreateInterruptedError", name]);

  const sent = mock.credits.ledger().length;
  const laterOutcomes = [];
  for await (const outcome of runBatch(client, { sets: first, store })) laterOutcomes.push(outcome);
  expect(short(laterOutcomes)).toEqual({ a: later, b: "succeeded", c: "succeeded" });
  if (becomes.startsWith("uncertain")) {
    // Not sent again, and the cause is told as it was.
    const told = laterOutcomes.find(({ key }) => key === "a")?.error;
    expect(told?.message).toBe(error.message);
    const { message, status, code } = error.cause as Error & { status?: number; code?: string };
    expect(told?.cause).toMatchObject({ name, message });
    expect([Object(told?.cause).status, Object(told?.cause).code]).toEqual([status, code]);
    expect(mock.credits.ledger()).toHaveLength(sent);
  }
  const charges = mock.requests({ operation: "createScreenshots" }).filter(({ credits }) => credits > 0);
  expect(charges.length).toBeLessThanOrEqual(3);
});

test("a create whose process died is uncertain in every later run, since when", async () => {
  const { mock, client, sets, store } = await batchScene(1);
  const dies = {
    load: store.load,
    save: (key: string, value: unknown) => {
      if (store.texts.size > 0) return new Promise(() => {});
      return store.save(key, value);
    },
  };
  void runBatch(client, { sets, store: dies }).next();
  await expect.poll(() => creates(mock)).toBe(1);
  for (let runs = 0; runs < 2; runs++) {
    for await (const { status, error } of runBatch(client, { sets, store })) {
      expect([status, error?.message]).toEqual([
        "uncertain",
        expect.stringMatching(/has been in flight since 20/),
      ]);
    }
  }
  expect(creates(mock)).toBe(1);
});
