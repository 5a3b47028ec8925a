import {
  apiErrorClass,
  type Charged,
  ConnectionError,
  InvalidResponseError,
  type ScreenshotSetsError,
  TimeoutError,
} from "../errors/errors.js";
import { messageIn, sentence, shortened } from "../errors/words.js";
import { type Issue, parse, type Schema } from "../schema/parse.js";
import { type Body, type Clean, jobIdOf, readBody } from "./answer-body.js";
import type { Outcome } from "./attempt.js";
import { maxAnswerBytes } from "./attempt.js";
import type { Call } from "./call.js";
import { codeOf, factsOf } from "./reach.js";
import { retryAfterMs, type Verdict } from "./retry.js";

/** The call, and what is known about it when its last outcome is interpreted. */
export interface Context {
  call: Pick<Call, "operation" | "method" | "path" | "timeoutMs" | "jobId" | "idempotencyKey">;
  attempts: number;
  verdict: Verdict;
}

/** The details of an error that ends a call. */
export function knownOf({ jobId, idempotencyKey }: Pick<Call, "jobId" | "idempotencyKey">, charged: Charged) {
  return { charged, jobId, ...(idempotencyKey !== undefined && { idempotencyKey }) };
}

/** The details of every error that results from an outcome. */
type Known = ReturnType<typeof knownOf> & { attempts: number };

/** Turns the outcome of the last attempt into the value that the document promises, or into one of our errors. */
export function interpret(
  outcome: Outcome,
  context: Context,
  clean: Clean,
): { value: unknown } | ScreenshotSetsError {
  const body = readBody(outcome.text, clean);
  const { call, attempts, verdict } = context;
  const known = (): Known => ({
    ...knownOf({ ...call, jobId: clean(call.jobId ?? jobIdOf(body)) }, verdict.charged),
    attempts,
  });
  switch (outcome.kind) {
    case "timed out":
      return timedOut(call, known());
    case "broken":
      return disconnected(outcome, call, known(), clean(outcome.error));
    default: {
      const { kind, status, headers, redirected } = outcome;
      const part = kind === "oversized" ? undefined : body.value;
      const shown = () => ({ status, headers: clean(headers), body: part });
      const fail: Fail = (what, issues) => invalid(call, known(), shown(), what, issues);
      if (redirected) return fail("an answer from somewhere else, after a redirect");
      if (isRedirect(status)) return fail("a redirect, which is never followed");
      if (status < 200 || status >= 300) {
        return refusal({ ...context, call: { ...call, path: clean(call.path) } }, known(), shown());
      }
      if (kind === "oversized") return fail(`an answer of more than ${maxAnswerBytes} bytes`);
      return success(body, call.operation.answer, clean(call.jobId), fail);
    }
  }
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

function success(body: Body, answer: Schema | undefined, jobId: string | undefined, fail: Fail) {
  if (answer === undefined) return body;
  if (!body.isJson) return fail(notJson(body));
  const parsed = parse(answer, body.value);
  const issues = parsed.ok ? otherJob(parsed.value, jobId) : parsed.issues;
  const [issue] = issues;
  if (issue === undefined) return body;
  return fail(`a body that breaks the document: ${issue.path || "body"}: ${issue.message}`, issues);
}

function notJson({ value, text }: Body): string {
  if (value === undefined) return "an empty body";
  return /^\s*</.test(text)
    ? "a body that is not JSON but a web page. Is the base URL right?"
    : "a body that is not JSON";
}

/** The issue with an answer about another job than the requested one, whose slides may belong to somebody else. */
function otherJob(value: unknown, jobId: string | undefined): Issue[] {
  if (jobId === undefined || String((value as { id?: unknown }).id) === jobId) return [];
  return [{ path: "id", message: "Expected the id of the job that was asked for" }];
}

function timedOut({ operation: { name }, timeoutMs }: Context["call"], known: Known) {
  return new TimeoutError(`${name} timed out: no whole answer within ${timeoutMs} ms.${hint(known)}`, known);
}

function invalid(call: Context["call"], known: Known, shown: Shown, what: string, issues?: Issue[]) {
  const { attempts, ...details } = known;
  const message = sentence(`${call.operation.name} was answered ${shown.status} with ${what}`);
  return new InvalidResponseError(`${message}${hint(known)}`, {
    ...details,
    ...shown,
    issues: issues ?? [{ path: "", message: `Got ${what}` }],
  });
}

function disconnected({ status }: Outcome, call: Context["call"], known: Known, cause: unknown) {
  const { name } = call.operation;
  const code = codeOf(cause);
  const what = status === undefined ? "no answer" : `the body of the ${status} answer broke off`;
  const why = messageOf(cause) || code;
  return new ConnectionError(`${name} failed: ${what}${why ? ` (${why})` : ""}.${hint(known)}`, {
    ...known,
    status,
    code,
    cause,
  });
}

function refusal({ call, verdict }: Context, known: Known, shown: Shown) {
  const { operation, method, path } = call;
  const { status, headers, body } = shown;
  const words = messageIn(body);
  const message = sentence(`${operation.name} failed with ${status}${words ? `: ${words}` : ""}`);
  return new (apiErrorClass(status))(`${message}${hint(known)}`, {
    ...known,
    ...shown,
    requestId: requestIdIn(headers),
    method,
    path,
    retryAfterMs: retryAfterMs(headers),
    isRetryable: verdict.again,
  });
}

function hint({ charged, jobId }: Known): string {
  if (charged !== "maybe") return "";
  return jobId
    ? ` The service accepted job ${shortened(jobId)}, so credits may have been charged: wait for that job instead of creating it again.`
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
