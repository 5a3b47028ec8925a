import { ConfigurationError, InvalidRequestError } from "../errors/errors.js";
import { operations } from "../generated/operations.js";
import { defaultCount } from "../generated/values.js";
import {
  type CallObserver,
  type RequestOptions,
  type ResponseInfo,
  requestTable,
  type Settings,
} from "../options/options.js";
import { readOptions } from "../options/read-options.js";
import { fieldNames, type Issue, isRecord, issueText, parseRequest, type Schema } from "../schema/parse.js";
import { adviceFor, typeName } from "../schema/type-name.js";
import type { Log } from "../secrets/log.js";
import { redact } from "../secrets/redact.js";
import { unknownName } from "../text/nearest-name.js";
import { isSegment } from "./segment.js";

/** An operation of the OpenAPI document, as written by `npm run generate`. */
export interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly pathParameters: readonly string[];
  /** The path parameters that are numbers in the document, and therefore in the types. */
  readonly numericParameters: readonly string[];
  /** The path as it is sent, if the document ends it in a slash. */
  readonly sentPath?: string | undefined;
  /** The media type of a JSON body. */
  readonly mediaType?: string | undefined;
  /** How the lists and objects of the query are written, by parameter. */
  readonly queryStyles?: Readonly<Record<string, QueryStyle>> | undefined;
  /** The header, in lower case, in which the document has an idempotency key. */
  readonly idempotencyHeader: string | undefined;
  /** What the parameters of the path may be besides texts; those of `client.request` are not checked. */
  readonly inPath?: Schema | undefined;
  readonly inQuery?: Schema | undefined;
  readonly body: Schema | undefined;
  readonly answer: Schema | undefined;
  /** The fields of an answer without which the SDK cannot go on. The service may change all others without asking. */
  readonly needed: readonly string[];
}

/** How a list or an object is written into a query; `json` as JSON text. */
export interface QueryStyle {
  readonly style: string;
  readonly explode?: boolean;
  readonly allowReserved?: boolean;
}

/** What is known of a call besides its request. */
export interface Call {
  operation: Operation;
  /** Sent with every attempt of this call, and with no other call. Set only if the document has the header. */
  idempotencyKey: string | undefined;
  /** The job that the call is about. */
  jobId: string | undefined;
  /** Whether the answer is checked for what the SDK needs. */
  isChecked: boolean;
  signal: AbortSignal | undefined;
  /** Records that a request is about to be sent. A recorded request goes on after an abort. */
  record?: (() => Promise<void>) | undefined;
  timeoutMs: number;
  maxRetries: number;
  observer?: CallObserver | undefined;
  /** Called for each answer. */
  onResponse: readonly ((info: ResponseInfo) => void)[];
}

/** The input of an operation. */
export interface Input {
  params?:
    | { path?: Record<string, unknown> | undefined; query?: Record<string, unknown> | undefined }
    | undefined;
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

/** The operation of the document, or one made up for an address that the document does not have. */
export function operationAt(method: string, path: string, secrets: readonly string[]): Operation {
  const known = (operations as readonly Operation[]).find(
    (one) => one.method === method && one.path === path,
  );
  if (known) return known;
  const name = "request";
  if (!/^[A-Z]+$/.test(method))
    throw refused(name, [{ path: "method", message: "Expected a method in upper case" }]);
  if (!/^\/(?!\/)/.test(path)) {
    throw refused(name, [
      { path: "path", message: "Expected a path below the base URL, which begins with one slash" },
    ]);
  }
  const pathParameters = Array.from(path.matchAll(/\{([^{}]+)\}/g), ([, parameter = ""]) => parameter);
  const nothing = { idempotencyHeader: undefined, body: undefined, answer: undefined };
  return {
    name: redact(`${method} ${path}`, secrets),
    method,
    path,
    pathParameters,
    numericParameters: [],
    needed: [],
    ...nothing,
  };
}

/** The options of a call, with the client's values as defaults. */
export function callOptions(settings: Settings, taker: string, options: RequestOptions | undefined) {
  const own = readOptions(taker, options, requestTable);
  return {
    signal: own.signal,
    timeoutMs: own.timeoutMs ?? settings.timeoutMs,
    maxRetries: own.maxRetries ?? settings.maxRetries,
    headers: { ...settings.headers, ...own.headers },
    onResponse: [settings.onResponse, own.onResponse].filter((one) => one !== undefined),
  };
}

/** The headers of a call; if its operation has a header for an idempotency key, with the caller's key or a new one. */
export function keyedHeaders({ idempotencyHeader: name }: Operation, headers: Record<string, string>) {
  if (name === undefined) return { headers, idempotencyKey: undefined };
  // With an empty key, two sets might count as one.
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

/**
 * An input that keeps to the document. A parameter that the document does not have is sent, and logged with the one that
 * was probably meant.
 */
export function checkedInput(operation: Operation, { params, ...input }: Input, log: Log): Input {
  const { name, inPath, inQuery } = operation;
  const check = (schema: Schema, value: unknown) => {
    const parsed = parseRequest(schema, value);
    // What cannot be looked through has no names either.
    if (!parsed.ok && parsed.cause) throw refused(name, parsed.issues, parsed.cause);
    const known = fieldNames(schema);
    const unknown = known && isRecord(value) && unknownName(`\`${name}\``, value, known, "parameter");
    if (unknown) log.warnOnce(name, unknown, {});
    if (!parsed.ok) throw refused(name, parsed.issues);
    return parsed.value as Record<string, unknown>;
  };
  const place = (schema: Schema | undefined, value: Record<string, unknown> | undefined) =>
    schema ? check(schema, value ?? {}) : value;
  const { body } = operation;
  return {
    params: { path: place(inPath, params?.path), query: place(inQuery, params?.query) },
    body: body && "body" in input ? check(body, input.body) : undefined,
  };
}

/** `params` with the document's default for `count`, which it requires nevertheless. */
export function withDefaultCount<Params>(params: Params): Params {
  try {
    if (!isRecord(params) || params.count !== undefined) return params;
    return { ...params, count: defaultCount };
  } catch {
    // An accessor threw; the checks that follow say so.
    return params;
  }
}

/** The error for a call that is rejected before anything is sent. */
export function refused(name: string, issues: Issue[], cause?: unknown): InvalidRequestError {
  const words = issues.map(issueText).join("; ");
  return new InvalidRequestError(`${name} was not sent: ${words}.`, { issues, cause });
}
