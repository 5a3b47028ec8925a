import { createApp, createScreenshots, getJob } from "../../generated/operations.js";
import { defaultCount, devices } from "../../generated/values.js";
import {
  ApiError,
  type ClientOptions,
  ConnectionError,
  InvalidResponseError,
  type ScreenshotSets,
  ScreenshotSetsError,
} from "../../index.js";
import { documentPath } from "../../mock/document-path.js";
import type { Operation } from "../../request/call.js";
import { systemClock } from "../../time/clock.js";

/** Who is asked: the service or the mock. */
export interface Party {
  client: ScreenshotSets;
  fetch: typeof globalThis.fetch;
  /** The time in milliseconds on the party's clock. */
  now(): number;
  /** Until when, on that clock, what a 429 held back is sent again. */
  until: number;
  /** Removes the key from an answer. */
  clean(value: unknown): unknown;
  signal?: AbortSignal;
}

/** A request. */
export interface Ask {
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

/** A request for a job. */
export function jobAsk(id: string, key: Ask["key"] = "authorization"): Ask {
  const { method, path, pathParameters } = getJob;
  return { what: "an unknown job", method, path, params: { path: { [pathParameters[0]]: id } }, key };
}

/** A request that creates something. */
export function createAsk(what: string, { method, path }: Operation, body: object): Ask {
  return { what, method, path, body, key: "authorization" };
}

const [jobId, appId] = ["verify-no-such-job", "verify-no-such-app"];
const unknownAppSet = { appId, device: anyDevice, count: defaultCount };

/** Everything that is asked before a set is ordered, in this order. The creates are to be refused. */
export const asks = {
  document: { what: "the OpenAPI document", method: "GET", path: documentPath, key: "authorization" } as Ask,
  unknownJob: jobAsk(jobId),
  otherHeader: jobAsk(jobId, "x-api-key"),
  noKey: jobAsk(jobId, "none"),
  wrongKey: jobAsk(jobId, "wrong"),
  emptySet: createAsk("a set {}", createScreenshots, {}),
  emptyApp: createAsk("an app {}", createApp, {}),
  /** Only for who allows a set to be paid for. */
  unknownApp: createAsk("a set of an unknown app", createScreenshots, unknownAppSet),
};

/** What came of a request, the key aside. */
export interface Answer {
  /** Undefined if no answer came. */
  status: number | undefined;
  /** The parsed JSON, or else the text; undefined if it is empty or not whole. */
  value: unknown;
  isJson: boolean;
  /** What the client made of it; undefined for an acceptance. */
  error: ScreenshotSetsError | undefined;
}

/** Longer than any service takes to refuse a request. */
const patienceMs = 10_000;

/** How often a read that fails is sent, and the pauses before the next request: after a 429, too. */
const [mostReads, firstPauseMs, longestPauseMs] = [3, 500, 8_000];

/** Asks once; again only what was certainly not taken (a 429), and a read that failed. */
export async function ask(party: Party, asked: Ask, timeoutMs = patienceMs): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await askOnce(party, asked, timeoutMs);
    const { status, error } = answer;
    const isBroken = error instanceof ConnectionError && asked.method === "GET";
    if (!isBroken && !(error instanceof ApiError && error.isRetryable)) return answer;

    const askedMs = (error instanceof ApiError && error.retryAfterMs) || 0;
    const pauseMs = Math.max(askedMs, Math.min(firstPauseMs * 2 ** (tries - 1), longestPauseMs));
    const isLast = status !== 429 && tries === mostReads;
    if (isLast || party.now() + pauseMs > party.until) return answer;
    await systemClock.sleep(pauseMs, party.signal);
  }
}

async function askOnce(party: Party, { method, path, params, body, key }: Ask, timeoutMs: number) {
  const keys: Record<Ask["key"], ClientOptions> = {
    authorization: {},
    "x-api-key": { authHeader: "x-api-key" },
    none: { fetch: keyless(party.fetch) },
    wrong: { apiKey: "verify-no-such-key" },
  };
  const client = party.client.withOptions({ maxRetries: 0, timeoutMs, onResponse() {}, ...keys[key] });
  const answer: Answer = { status: undefined, value: undefined, isJson: false, error: undefined };
  let mediaType = "";
  const onResponse = ({ status, headers }: { status: number; headers: Headers }) => {
    answer.status = status;
    mediaType = headers.get("content-type") ?? "";
  };
  try {
    const init = { ...(params && { params }), ...(body && { body }) };
    const { signal } = party;
    answer.value = await client.request(method as "GET", path as string, init, { signal, onResponse });
  } catch (error) {
    if (!(error instanceof ScreenshotSetsError)) throw error;
    answer.error = error;
    answer.value = (error as Partial<ApiError>).body;
  }
  answer.value = party.clean(answer.value);
  answer.isJson = typeof answer.value === "string" ? /json/i.test(mediaType) : answer.value !== undefined;
  return answer;
}

/** The client sends no request without a key, so that is taken away behind it. */
function keyless(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (url, init) => {
    const headers = new Headers(init?.headers);
    headers.delete("authorization");
    return fetch(url, { ...init, headers });
  };
}

export const isAccepted = ({ status = 0 }: Answer): boolean => status >= 200 && status < 300;

/** Whether an answer refuses what was asked. An outage and a limit of requests have other statuses. */
export const isRefused = ({ status = 0, error }: Answer): boolean =>
  error instanceof ApiError && status < 500 && ![408, 421, 429].includes(status);

/** Whether an answer may refuse the key, not what was asked with it. */
export const isOfKey = ({ status }: Answer): boolean => status === 401 || status === 403;

/** Whether an answer is that of a service which takes the key. */
export const takesKey = (answer: Answer): boolean =>
  (isRefused(answer) && !isOfKey(answer)) || (isAccepted(answer) && answer.isJson);

/**
 * Why an answer tells nothing of what was asked, as a sentence; undefined if it does.
 *
 * @param isKeyed whether the request needs that the key is taken
 */
export function silenceOf(answer: Answer, isKeyed: boolean): string | undefined {
  const { status = 0, error } = answer;
  if (error === undefined || error instanceof InvalidResponseError) return undefined;
  if (status === 429) return `The service limits requests: ${error.message}`;
  if (status >= 500) return `The service is out of order: ${error.message}`;
  if (status === 408 || !(error instanceof ApiError)) return `Nobody answers: ${error.message}`;
  const isRefusedKey = isKeyed && isOfKey(answer);
  return isRefusedKey ? `The key in SCREENSHOT_SETS_API_KEY is refused: ${error.message}` : undefined;
}
