import {
  apiErrorClass,
  type Charged,
  ConnectionError,
  InvalidResponseError,
  TimeoutError,
} from "../errors/errors.js";
import { messageIn, sentence, shortened } from "../errors/words.js";
import { basePath } from "../generated/values.js";
import type { Issue } from "../schema/parse.js";
import { type Body, type Clean, jobIdOf, readBody } from "./answer-body.js";
import type { Outcome } from "./attempt.js";
import { maxAnswerBytes } from "./attempt.js";
import type { Call } from "./call.js";
import { checkAnswer } from "./check-answer.js";
import { proxyHint } from "./proxy-hint.js";
import { codeOf, factsOf, reachOf } from "./reach.js";
import { retryAfterMs, type Verdict } from "./retry.js";

/** The end of a call that succeeded. */
export interface Answer {
  headers: Headers;
  /** The parsed JSON, or else the text; `undefined` if it is empty. */
  value: unknown;
  /** What differs from the document without being needed by the SDK. */
  oddities: Issue[];
}

/** The call, and what is known about it when its last outcome is interpreted. */
interface Context {
  call: Pick<Call, "operation" | "timeoutMs" | "jobId" | "idempotencyKey" | "isChecked">;
  /** The path as it was sent, below the base URL. */
  path: string;
  attempts: number;
  verdict: Verdict;
  baseUrl: string;
  /** Whether the platform's own `fetch` sent it. */
  isOwnFetch: boolean;
  /** Whether a call of the client has succeeded before. */
  hasSucceeded: boolean;
}

/** The details of an error that ends a call. */
export function knownOf({ jobId, idempotencyKey }: Pick<Call, "jobId" | "idempotencyKey">, charged: Charged) {
  return { charged, jobId, ...(idempotencyKey !== undefined && { idempotencyKey }) };
}

type Known = ReturnType<typeof knownOf>;

/** An outcome that is no abort, which carries only its reason. */
type Ended = Exclude<Outcome, { kind: "aborted" }>;

/**
 * What the outcome of the last attempt means: an answer, or one of our errors.
 *
 * @param clean removes secrets
 */
export function answerOf(outcome: Ended, given: Context, clean: Clean): Answer {
  const body = readBody(outcome.text, clean);
  const { attempts, verdict } = given;
  // The address that `client.request` was given is a part of the name.
  const operation = { ...given.call.operation, name: clean(given.call.operation.name) };
  const call = { ...given.call, operation };
  const context = { ...given, call, path: clean(given.path) };
  const { name } = operation;
  const known = knownOf(
    { ...call, jobId: clean(call.jobId ?? jobIdOf(body, outcome.status)) },
    verdict.charged,
  );
  if (outcome.kind === "broken") throw disconnected(outcome, context, known, clean(outcome.error));
  if (outcome.kind === "timed out") {
    const { host } = new URL(context.baseUrl);
    const message = `${name} timed out: no whole answer from ${host} within ${call.timeoutMs} ms.${hint(known)}`;
    throw new TimeoutError(message, { ...known, attempts });
  }
  const { kind, status, headers, redirected } = outcome;
  const value = kind === "answered" ? body.value : undefined;
  const shown: Shown = { status, headers: clean(headers), body: value };
  const fail: Fail = (what, issues = [{ path: "", message: `Got ${what}` }]) => {
    const message = sentence(`${name} was answered ${status} with ${what}`);
    return new InvalidResponseError(`${message}${hint(known)}`, { ...known, ...shown, issues });
  };
  if (redirected) throw fail("an answer from somewhere else, after a redirect");
  if (isRedirect(status)) throw fail("a redirect, which is never followed");
  if (status >= 300) throw refusal(context, known, shown);
  if (kind !== "answered") throw fail(`an answer of more than ${maxAnswerBytes} bytes`);
  return { headers, value, oddities: call.isChecked ? checked(body, call, fail) : [] };
}

/** Checks a body for what the SDK itself needs, and returns how it differs from the document otherwise. */
function checked(body: Body, { operation, jobId }: Context["call"], fail: Fail): Issue[] {
  // The document describes no JSON of, for example, an answer of 204.
  if (operation.answer && !body.isJson) throw fail(notJson(body));
  const { missing, oddities } = checkAnswer(operation, body.value, jobId);
  const [issue] = missing;
  if (issue)
    throw fail(`a body that breaks the document: ${issue.path || "body"}: ${issue.message}`, missing);
  return oddities;
}

/** Browsers report the status of a redirect as 0: https://fetch.spec.whatwg.org/#concept-filtered-response-opaque-redirect */
function isRedirect(status: number): boolean {
  return status === 0 || (status >= 300 && status < 400);
}

/** The parts of an answer that errors expose, without secrets. */
interface Shown {
  status: number;
  headers: Headers;
  body: unknown;
}

type Fail = (what: string, issues?: Issue[]) => InvalidResponseError;

function notJson({ value, text }: Body): string {
  if (value === undefined) return "an empty body";
  return /^\s*</.test(text)
    ? "a body that is not JSON but a web page. Is the base URL right?"
    : "a body that is not JSON";
}

function disconnected(
  { status }: Outcome,
  { call, attempts, baseUrl, isOwnFetch }: Context,
  known: Known,
  cause: unknown,
) {
  const code = codeOf(cause);
  const isUnanswered = status === undefined;
  const what = isUnanswered
    ? `no answer from ${new URL(baseUrl).host}`
    : `the body of the ${status} answer broke off`;
  const why = messageOf(cause) || code;
  const advice = isOwnFetch && reachOf(cause) === "not sent" ? proxyHint(baseUrl) : "";
  const message = `${call.operation.name} failed: ${what}${why ? ` (${why})` : ""}.${hint(known)}${advice}`;
  return new ConnectionError(message, { ...known, status, code, attempts, cause });
}

function refusal(
  { call, path, attempts, verdict, baseUrl, hasSucceeded }: Context,
  known: Known,
  shown: Shown,
) {
  const { name, method } = call.operation;
  const { status, headers, body } = shown;
  const words = messageIn(body);
  const message = sentence(`${name} failed with ${status}${words ? `: ${words}` : ""}`);
  const requestId = requestIdIn(headers);
  const named = requestId ? ` (Request id: ${shortened(requestId)})` : "";
  const advice = status === 404 && !hasSucceeded ? misplaced(baseUrl) : "";
  return new (apiErrorClass(status))(`${message}${hint(known)}${advice}${named}`, {
    ...known,
    ...shown,
    attempts,
    method,
    path,
    requestId,
    retryAfterMs: retryAfterMs(headers),
    isRetryable: verdict.again,
  });
}

/** What to look at if the service does not know an address; empty where the base URL ends as the document's does. */
export function misplaced(baseUrl: string): string {
  if (baseUrl.endsWith(basePath)) return "";
  return ` Check the base URL: it does not end in ${basePath}, as the service's address does.`;
}

function hint({ charged, jobId }: Known): string {
  if (charged !== "maybe") return "";
  return jobId
    ? ` The answer names job ${shortened(jobId)}, which may have been charged: look at that job before you create it again.`
    : " The service may have accepted and charged it: check the credits before you send it again.";
}

const requestIdHeaders = [
  "x-request-id",
  "request-id",
  "x-correlation-id",
  "x-amzn-requestid",
  "x-amz-request-id",
  "cf-ray",
];

/** The id of a request in the logs of the service or of a proxy. */
export function requestIdIn(headers: Headers): string | undefined {
  return requestIdHeaders.map((name) => headers.get(name)).find(Boolean) ?? undefined;
}

/** The message of the deepest cause of a failure. If every address of a host failed, the first one's. */
function messageOf(error: unknown, depth = 0): string | undefined {
  const { message, cause, errors } = factsOf(error);
  const deeper = depth < 2 ? messageOf(Array.isArray(errors) ? errors[0] : cause, depth + 1) : undefined;
  return deeper || (typeof message === "string" ? shortened(message) : undefined);
}
