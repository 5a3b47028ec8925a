import { createApp, createScreenshots, getJob } from "../../generated/operations.js";
import { defaultCount, devices } from "../../generated/values.js";
import {
  ApiError,
  type ClientOptions,
  ConnectionError,
  type ScreenshotSets,
  ScreenshotSetsError,
} from "../../index.js";
import { documentPath } from "../../mock/document-path.js";
import type { Operation } from "../../request/call.js";
import { systemClock } from "../../time/clock.js";
import { type Answer, answerOf } from "./answer.js";

/** What the requests go to: the service or the mock. */
export interface Target {
  client: ScreenshotSets;
  fetch: typeof globalThis.fetch;
  /** The time in milliseconds on the target's clock. */
  now(): number;
  /** Until when, on that clock, what is retried is sent again. */
  until: number;
  /** Removes the key from a text of an answer. */
  clean(text: string): string;
  signal?: AbortSignal;
}

/** A request that is sent to the service and to the mock. */
export interface TestRequest {
  what: string;
  method: string;
  path: string;
  params?: { path: Record<string, string> };
  body?: object;
  /** How the account is named. */
  key: "authorization" | "x-api-key" | "none" | "wrong";
}

/** A document may list no devices. */
export const anyDevice: string = devices.at(0) ?? "iphone-69";

export function jobRequest(id: string, key: TestRequest["key"] = "authorization"): TestRequest {
  const { method, path, pathParameters } = getJob;
  return { what: "an unknown job", method, path, params: { path: { [pathParameters[0]]: id } }, key };
}

export function createRequest(what: string, { method, path }: Operation, body: object): TestRequest {
  return { what, method, path, body, key: "authorization" };
}

const [jobId, appId] = ["verify-no-such-job", "verify-no-such-app"];
const unknownAppSet = { appId, device: anyDevice, count: defaultCount };
const document: TestRequest = {
  what: "the OpenAPI document",
  method: "GET",
  path: documentPath,
  key: "authorization",
};

/** Everything that is sent before a set is ordered, in this order. The creates are to be refused. */
export const requests = {
  document,
  unknownJob: jobRequest(jobId),
  otherHeader: jobRequest(jobId, "x-api-key"),
  noKey: jobRequest(jobId, "none"),
  wrongKey: jobRequest(jobId, "wrong"),
  emptySet: createRequest("a set {}", createScreenshots, {}),
  emptyApp: createRequest("an app {}", createApp, {}),
  /** Only for who allows a set to be paid for. */
  unknownApp: createRequest("a set of an unknown app", createScreenshots, unknownAppSet),
};

/** How long a 429 or an outage may hold requests back. What is held back then is not tried. */
export const longestHoldMs = 30_000;

/** Longer than any service takes to refuse a request. */
const refusalMs = 10_000;

/** How often a read that fails is sent, and the pauses before the next request: after a 429, too. */
const [mostReads, firstPauseMs, longestPauseMs] = [3, 500, 8_000];

/** Sends a request. Retries only what was certainly not accepted (a 429), and a read that failed. */
export async function send(target: Target, request: TestRequest, timeoutMs = refusalMs): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await sendOnce(target, request, timeoutMs);
    const { meaning, error } = answer;
    const isBroken = error instanceof ConnectionError && request.method === "GET";
    if (!isBroken && !(error instanceof ApiError && error.isRetryable)) return answer;

    const askedMs = (error instanceof ApiError && error.retryAfterMs) || 0;
    const pauseMs = Math.max(askedMs, Math.min(firstPauseMs * 2 ** (tries - 1), longestPauseMs));
    const isLast = meaning !== "limited" && tries === mostReads;
    if (isLast || target.now() + pauseMs > target.until) return answer;
    await systemClock.sleep(pauseMs, target.signal);
  }
}

async function sendOnce(target: Target, request: TestRequest, timeoutMs: number): Promise<Answer> {
  const keys: Record<TestRequest["key"], ClientOptions> = {
    authorization: {},
    "x-api-key": { authHeader: "x-api-key" },
    none: { fetch: keyless(target.fetch) },
    wrong: { apiKey: "verify-no-such-key" },
  };
  const { method, path, params, body, key } = request;
  const client = target.client.withOptions({ maxRetries: 0, timeoutMs, onResponse() {}, ...keys[key] });
  let head: { status: number; headers: Headers } | undefined;
  const options = {
    signal: target.signal,
    onResponse: (response: typeof head) => {
      head = response;
    },
  };
  const init = { ...(params && { params }), ...(body && { body }) };
  try {
    const value = await client.request(method as "GET", path as string, init, options);
    return answerOf(head, target.clean, value);
  } catch (error) {
    if (!(error instanceof ScreenshotSetsError)) throw error;
    return answerOf(head, target.clean, (error as Partial<ApiError>).body, error);
  }
}

/** The client sends no request without a key, so that is taken away behind it. */
function keyless(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (url, init) => {
    const headers = new Headers(init?.headers);
    headers.delete("authorization");
    return fetch(url, { ...init, headers });
  };
}
