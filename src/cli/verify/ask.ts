import { setTimeout } from "node:timers/promises";
import { ApiError, type ScreenshotSets, ScreenshotSetsError } from "../../index.js";
import { type Body, readBody } from "../../request/answer-body.js";
import { redact } from "../../secrets/redact.js";

/** Who is asked: the service or the mock. */
export interface Party {
  client: ScreenshotSets;
  fetch: typeof globalThis.fetch;
  /** The time in milliseconds on the party's clock. */
  now(): number;
  /** The key, which no answer repeats. */
  apiKey: string;
  signal?: AbortSignal;
}

/** A request that is to be refused. */
export interface Ask {
  method: string;
  path: string;
  params?: { path: Record<string, string> };
  body?: object;
  /** How the account is named. */
  key: "authorization" | "x-api-key" | "none" | "wrong";
  /** Whether it is asked only by who allows a set to be paid for. */
  needsSpend?: true;
}

/** What came of a request, the key aside. */
export interface Answer {
  /** Undefined if no answer came. */
  status: number | undefined;
  body: Body;
  /** Whether the body arrived to its end. */
  isWhole: boolean;
  /** What the client made of it; undefined for an acceptance. */
  error: ScreenshotSetsError | undefined;
}

/** Longer than any service takes to refuse a request. */
const patienceMs = 10_000;

/** How often something is asked that the client would send again, and how long it waits before that. */
const [mostTries, pauseMs] = [3, 500];

/** Asks once; again only what may be sent again without a risk, such as a read that failed. */
export async function ask(party: Party, asked: Ask): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await askOnce(party, asked);
    const { error } = answer;
    if (!(error instanceof ApiError && error.isRetryable) || tries === mostTries) return answer;
    await setTimeout(Math.min(error.retryAfterMs ?? pauseMs, patienceMs), undefined, {
      ...(party.signal && { signal: party.signal }),
    }).catch(() => party.signal?.throwIfAborted());
  }
}

async function askOnce(
  { client, fetch, apiKey, signal }: Party,
  { method, path, params, body, key }: Ask,
): Promise<Answer> {
  const arrived: Arrived = { status: undefined, text: "", isWhole: false };
  const asking = client.withOptions({
    fetch: observed(fetch, arrived, key === "none"),
    ...{ maxRetries: 0, timeoutMs: patienceMs, onResponse() {} },
    ...(key === "x-api-key" && { authHeader: key }),
    ...(key === "wrong" && { apiKey: "verify-no-such-key" }),
  });
  const answerWith = (error?: ScreenshotSetsError): Answer => {
    const { status, text, isWhole } = arrived;
    return { status, body: readBody(text, (part) => redact(part, [apiKey])), isWhole, error };
  };
  try {
    const init = { ...(params && { params }), ...(body && { body }) };
    await asking.request(method as "GET", path as string, init, signal && { signal });
    return answerWith();
  } catch (error) {
    if (error instanceof ScreenshotSetsError) return answerWith(error);
    throw error;
  }
}

type Arrived = Pick<Answer, "isWhole"> & { status: number | undefined; text: string };

/** A `fetch` that notes what arrives as the client reads it, and no more than the client reads. */
function observed(
  fetch: typeof globalThis.fetch,
  arrived: Arrived,
  withoutKey: boolean,
): typeof globalThis.fetch {
  return async (url, init) => {
    const headers = new Headers(init?.headers);
    if (withoutKey) headers.delete("authorization");
    const response = await fetch(url, { ...init, headers });
    arrived.status = response.status;
    arrived.isWhole = response.body === null;
    // What is no status of HTTP cannot be in a `Response` of our own.
    if (response.body === null || response.status > 599) return response;
    const decoder = new TextDecoder();
    const notes = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        arrived.text += decoder.decode(chunk, { stream: true });
        controller.enqueue(chunk);
      },
      flush() {
        arrived.isWhole = true;
      },
    });
    return new Response(response.body.pipeThrough(notes), response);
  };
}
