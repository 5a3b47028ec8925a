import { createFinalURL, createQuerySerializer, defaultPathSerializer } from "openapi-fetch";
import { ConfigurationError, InvalidRequestError } from "../errors/errors.js";
import { checkedCount, checkedMs, type RequestOptions, type Settings } from "../options.js";
import { type Issue, parse, type Schema } from "../schema/parse.js";
import type { Call } from "./send.js";

/** An operation of the OpenAPI document, as `npm run generate` writes it. */
export interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly pathParameters: readonly string[];
  /** Those of the path's parameters that are numbers by the document, and so in the types. */
  readonly numericParameters?: readonly string[];
  readonly body: Schema | undefined;
  readonly answer: Schema | undefined;
}

/** What goes into a call of an operation. */
export interface Input {
  path?: Record<string, unknown> | undefined;
  query?: Record<string, unknown> | undefined;
  body?: unknown;
}

const querySerializer = createQuerySerializer();

/**
 * The call of an operation, checked against the document before anything is sent.
 *
 * @param jobId the job that the call is about, for errors
 * @throws {InvalidRequestError} when the input breaks the document's constraints
 * @throws {ConfigurationError} when an option makes no sense
 */
export function buildCall(
  settings: Settings,
  operation: Operation,
  input: Input,
  options: RequestOptions,
  jobId?: string,
): Call {
  const { name, method, answer } = operation;
  const path = buildPath(operation, input);
  const body = buildBody(operation, input.body);
  const { signal, timeoutMs, maxRetries } = checkedOptions(settings, options);
  return { name, method, path, body, answer, jobId, signal, timeoutMs, maxRetries };
}

/** The options of a call, with the client's values for those not given. */
export function checkedOptions(settings: Settings, options: RequestOptions) {
  const { signal, timeoutMs = settings.timeoutMs, maxRetries = settings.maxRetries } = options ?? {};
  if (signal !== undefined && !isAbortSignal(signal)) {
    throw new ConfigurationError("Expected `signal` to be an AbortSignal.");
  }
  return {
    signal,
    timeoutMs: checkedMs("timeoutMs", timeoutMs),
    maxRetries: checkedCount("maxRetries", maxRetries),
  };
}

/** One of another realm or a polyfill is as good as ours. */
function isAbortSignal(signal: AbortSignal | null): boolean {
  return typeof signal?.throwIfAborted === "function" && typeof signal.addEventListener === "function";
}

function buildPath(operation: Operation, input: Input): string {
  const { name, path, pathParameters, numericParameters } = operation;
  if (pathParameters.length === 0 && input.query === undefined) return path;
  const filled: Record<string, string> = {};
  for (const parameter of pathParameters) {
    const given = input.path?.[parameter];
    const isNumber = numericParameters?.includes(parameter) && Number.isFinite(given);
    filled[parameter] = checkedSegment(name, parameter, isNumber ? String(given) : given);
  }
  try {
    const params = { path: filled, query: input.query ?? {} };
    return createFinalURL(path, {
      baseUrl: "",
      params,
      querySerializer,
      pathSerializer: defaultPathSerializer,
    });
  } catch (cause) {
    throw refused(name, [{ path: "query", message: "Expected values that a query can hold" }], cause);
  }
}

/** An id of `..` would call another path, and an empty one too. */
export function checkedSegment(name: string, parameter: string, value: unknown): string {
  if (typeof value === "string" && !/^\.{0,2}$/.test(value)) {
    return wellFormed(value);
  }
  const message = 'Expected a string that is not empty, "." or ".."';
  throw refused(name, [{ path: parameter, message }]);
}

/** Half of a surrogate pair has no UTF-8 form, and is replaced as everywhere on the web. */
export function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}

function buildBody({ name, body: schema }: Operation, body: unknown): string | undefined {
  if (schema === undefined) {
    if (body === undefined) return undefined;
    throw refused(name, [{ path: "", message: "Expected no body" }]);
  }
  const parsed = parse(schema, body);
  if (!parsed.ok) throw refused(name, parsed.issues);
  try {
    return JSON.stringify(parsed.value);
  } catch (cause) {
    throw refused(name, [{ path: "", message: "Expected what JSON can hold" }], cause);
  }
}

export function refused(name: string, issues: Issue[], cause?: unknown): InvalidRequestError {
  const words = issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join("; ");
  return new InvalidRequestError(`${name} was not sent: ${words}.`, { issues, cause });
}
