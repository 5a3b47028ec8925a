import { ConfigurationError, InvalidRequestError } from "../errors/errors.js";
import { operations } from "../generated/operations.js";
import { unknownOption } from "../nearest-name.js";
import {
  checkedCallback,
  checkedCount,
  checkedMs,
  checkedOptions,
  checkedSignal,
  withoutInherited,
} from "../options/checked-options.js";
import {
  type CallObserver,
  type RequestOptions,
  type ResponseInfo,
  requestOptions,
  type Settings,
} from "../options/options.js";
import { fieldNames, type Issue, isRecord, parse, type Schema } from "../schema/parse.js";
import { adviceFor, typeName } from "../schema/type-name.js";
import { checkedHeaders } from "../secrets/own-headers.js";
import { isSegment } from "./segment.js";

/** An operation of the OpenAPI document, as written by `npm run generate`. */
export interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly pathParameters: readonly string[];
  /** The path parameters that are numbers in the document, and therefore in the types. */
  readonly numericParameters: readonly string[];
  /** The header, in lower case, in which the operation requires an idempotency key. */
  readonly idempotencyHeader: string | undefined;
  readonly body: Schema | undefined;
  readonly answer: Schema | undefined;
}

/** A call of an operation, ready to be sent. */
export interface Call {
  operation: Operation;
  /** The path with its parameters filled in, and the query: the URL without the base URL. */
  path: string;
  method: string;
  /** All headers except the one with the API key. */
  headers: Record<string, string>;
  /** Sent with every attempt of this call, and with no other call. Set only if the document requires it. */
  idempotencyKey: string | undefined;
  /** JSON text. */
  body: string | undefined;
  /** The job that the call is about. */
  jobId: string | undefined;
  signal: AbortSignal | undefined;
  timeoutMs: number;
  maxRetries: number;
  observer: CallObserver | undefined;
  /** Called for each answer. */
  onResponse: readonly ((info: ResponseInfo) => void)[];
}

/** The input of an operation. */
export interface Input {
  params?: { path?: Record<string, unknown>; query?: Record<string, unknown> } | undefined;
  body?: unknown;
}

/**
 * Checks that Jest's jsdom hides no global that a call needs. A call must not fail for that after its create was sent.
 *
 * @throws {ConfigurationError} if a global is missing
 */
export function checkPlatform({ fetch }: Pick<Settings, "fetch">): void {
  const needed = ["FormData", "Headers", "TextDecoder", ...(fetch ? [] : (["fetch"] as const))] as const;
  const missing = needed.find((name) => typeof globalThis[name] !== "function");
  if (missing === undefined) return;
  throw new ConfigurationError(
    `Expected \`${missing}\` among the globals, as in Node. Jest's jsdom hides it: use the environment jest-fixed-jsdom or node instead.`,
  );
}

const unknownOperation =
  "Expected an operation of the OpenAPI document: its method in upper case, and its path with the parameters in braces";

/** @throws {InvalidRequestError} for an operation that the document does not have */
export function operationAt(method: string, path: string): Operation {
  const operation = (operations as readonly Operation[]).find(
    (one) => one.method === method && one.path === path,
  );
  if (operation) return operation;
  throw refused("request", [{ path: "path", message: unknownOperation }]);
}

/**
 * Rejects unknown fields in the input of a call.
 *
 * @throws {ConfigurationError} for example for a signal or headers, which are options and would be ignored here
 */
export function checkedInput(input: Input): Input {
  const unknown = unknownOption("The input of `request`", input, ["params", "body"], "field");
  if (unknown) throw new ConfigurationError(unknown);
  return withoutInherited(input, ["params", "body"]);
}

/** The options of a call, with the client's values as defaults. */
export function callOptions(settings: Settings, taker: string, options: RequestOptions | undefined) {
  const own = checkedOptions(taker, options, requestOptions);
  const { signal, headers, onResponse } = own;
  const { timeoutMs = settings.timeoutMs, maxRetries = settings.maxRetries } = own;
  return {
    signal: checkedSignal(signal),
    timeoutMs: checkedMs("timeoutMs", timeoutMs),
    maxRetries: checkedCount("maxRetries", maxRetries),
    headers: { ...settings.headers, ...checkedHeaders(headers) },
    onResponse: [settings.onResponse, checkedCallback("onResponse", onResponse)].filter(
      (one) => one !== undefined,
    ),
  };
}

/** The headers of a call; if its operation requires an idempotency key, with the caller's key or a new one. */
export function keyedHeaders({ idempotencyHeader: name }: Operation, headers: Record<string, string>) {
  if (name === undefined) return { headers, idempotencyKey: undefined };
  // An empty key would not distinguish two sets, or not make a create safe to repeat.
  const idempotencyKey = headers[name]?.trim() || crypto.randomUUID();
  return { headers: { ...headers, [name]: idempotencyKey }, idempotencyKey };
}

/** The path parameters as they are written into the path. */
export function checkedPath(operation: Operation, given?: Record<string, unknown> | null) {
  const { name, pathParameters, numericParameters } = operation;
  const segments = pathParameters.map((parameter) => {
    const value = given?.[parameter];
    const isNumber = numericParameters.includes(parameter) && Number.isFinite(value);
    return [parameter, checkedSegment(name, parameter, isNumber ? String(value) : value)] as const;
  });
  return Object.fromEntries(segments);
}

/** A value as it is written into a path. Lone surrogates are replaced, because they cannot be encoded in UTF-8. */
export function checkedSegment(name: string, parameter: string, value: unknown): string {
  if (isSegment(value)) {
    return value.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
  }
  const message =
    typeof value === "string"
      ? 'Expected a string that is not empty, "." or ".."'
      : `Expected a string, got ${typeName(value)}${adviceFor(value, "jobId", "id")}`;
  throw refused(name, [{ path: parameter, message }]);
}

/** The JSON text of a body. Its fields keep the caller's order. */
export function checkedBody({ name, body: schema }: Operation, body: unknown): string | undefined {
  if (schema === undefined) {
    if (body === undefined) return undefined;
    throw refused(name, [{ path: "", message: "Expected no body" }]);
  }
  const parsed = parse(schema, withoutInherited(body, fieldNames(schema) ?? []));
  if (!parsed.ok) throw refused(name, parsed.issues, parsed.cause);
  try {
    if (!isRecord(body)) return JSON.stringify(parsed.value);
    const whole: Record<string, unknown> = { ...body, ...(parsed.value as object) };
    // Such a field would replace the checked body.
    if (whole.toJSON !== undefined) whole.toJSON = undefined;
    return JSON.stringify(whole);
  } catch (cause) {
    throw refused(name, [{ path: "", message: "Expected what JSON can hold" }], cause);
  }
}

/** Rejects values that would silently be missing from the query, such as a `Date`. */
export function checkQuery(name: string, query: object): void {
  const isLost = (value: unknown) =>
    isRecord(value) &&
    Object.keys(value).length === 0 &&
    !plainPrototypes.includes(Object.getPrototypeOf(value));
  const [lost] = Object.entries({ query, ...query }).filter(([, value]) => isLost(value));
  if (lost === undefined) return;
  const message = `Expected a value that a query can hold, got ${typeName(lost[1])}`;
  throw refused(name, [{ path: lost[0], message }]);
}

const plainPrototypes: unknown[] = [null, Object.prototype];

/** A warning about a parameter that the document does not have, with a suggestion. The parameter is sent anyway. */
export function unknownParameter({ name, body: schema }: Operation, body: unknown): string | undefined {
  try {
    const known = schema && fieldNames(schema);
    return known && isRecord(body) ? unknownOption(`\`${name}\``, body, known, "parameter") : undefined;
  } catch {
    // A body that cannot be read is rejected later, with the reason.
    return undefined;
  }
}

/** The error for a call that is rejected before anything is sent. */
export function refused(name: string, issues: Issue[], cause?: unknown): InvalidRequestError {
  const words = issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join("; ");
  return new InvalidRequestError(`${name} was not sent: ${words}.`, { issues, cause });
}
