import createClient from "openapi-fetch";
import { InvalidRequestError } from "../errors/errors.js";
import { getJob } from "../generated/operations.js";
import type { CallObserver, RequestOptions, Settings } from "../options/options.js";
import type { Log } from "../secrets/log.js";
import type { paths } from "../types.js";
import {
  type Call,
  callOptions,
  checkedBody,
  checkedInput,
  checkedPath,
  checkPlatform,
  checkQuery,
  type Input,
  keyedHeaders,
  type Operation,
  operationAt,
  refused,
  unknownParameter,
} from "./call.js";
import { type Answer, send } from "./send.js";

/**
 * The only way to the service: openapi-fetch's client builds each request from the document and passes it to `send`,
 * which handles keys, time-outs, retries and credits.
 */
export class Api {
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #client: ReturnType<typeof createClient<paths>>;

  constructor(settings: Settings, log: Log) {
    this.#settings = settings;
    this.#log = log;
    this.#client = createClient<paths>({
      ...overInherited(),
      baseUrl: "",
      bodySerializer: (text) => text,
      Request: WrittenCall as unknown as typeof Request,
      fetch: (({ call }: Written) => settled(send(settings, log, call))) as unknown as typeof fetch,
    });
  }

  /**
   * Calls an operation of the document.
   *
   * @throws {InvalidRequestError} if the input breaks the document's constraints, before anything is sent
   * @throws {ConfigurationError} if an option makes no sense
   */
  async request(
    method: string,
    path: string,
    input: Input = {},
    options: RequestOptions = {},
    observer?: CallObserver,
  ): Promise<Answer> {
    checkPlatform(this.#settings);
    const operation = operationAt(method, path);
    const { params, body: given } = checkedInput(input);
    const unknown = unknownParameter(operation, given);
    if (unknown) this.#log.warn(unknown, { operation: operation.name });
    const pathParameters = checkedPath(operation, params?.path);
    const jobId = operation === getJob ? pathParameters.id : undefined;
    const own = callOptions(this.#settings, operation.name, options);
    const { signal, timeoutMs, maxRetries, onResponse } = own;
    const { headers, idempotencyKey } = keyedHeaders(operation, own.headers);
    const body = checkedBody(operation, given);
    const call: Call = {
      operation,
      path,
      method,
      headers,
      idempotencyKey,
      body,
      jobId,
      signal,
      timeoutMs,
      maxRetries,
      observer,
      onResponse,
    };
    const query = params?.query ?? noQuery;
    const init = {
      ...overInherited(),
      params: { path: pathParameters, query, header: undefined },
      body,
      parseAs: "text",
      call,
    };
    return (await this.#write(operation, init, query)).answer();
  }

  /** An error thrown by openapi-fetch itself is always about the query, since `settled` never rejects. */
  async #write({ name, method, path }: Operation, init: object, query: object): Promise<Settled> {
    try {
      if (query !== noQuery) checkQuery(name, query);
      const { response } = await this.#client.request(method as "get", path as never, init as never);
      return response as unknown as Settled;
    } catch (cause) {
      if (cause instanceof InvalidRequestError) throw cause;
      throw refused(name, [{ path: "query", message: "Expected values that a query can hold" }], cause);
    }
  }
}

const noQuery = Object.freeze(Object.create(null));

/** All options of openapi-fetch, explicitly unset. */
const unset: object = {
  baseUrl: undefined,
  headers: undefined,
  querySerializer: undefined,
  bodySerializer: undefined,
  pathSerializer: undefined,
  middleware: undefined,
  Request: undefined,
  fetch: undefined,
  requestInitExt: undefined,
};

const optionNames = Object.keys(unset);

/** Shadows options that openapi-fetch would otherwise inherit from a polluted `Object.prototype`. */
function overInherited(): object | undefined {
  return optionNames.some((option) => option in Object.prototype) ? unset : undefined;
}

/** What openapi-fetch builds with `new` instead of a platform `Request`, which each attempt makes: it completes the call. */
function WrittenCall(
  this: Written,
  path: string,
  { method, headers, call }: Written & { headers: Headers },
): void {
  const type = headers.get("content-type");
  if (type !== null) call.headers = { ...call.headers, "content-type": type };
  call.path = path;
  this.method = method;
  this.call = call;
}

/** What openapi-fetch reads of a request, and the call. */
interface Written {
  method: string;
  call: Call;
}

/** The end of a call, presented as a response with an empty body, since `send` has already read the real one. */
interface Settled {
  ok: boolean;
  status: number;
  headers: { get(): string };
  /** @throws what `send` threw; openapi-fetch would swallow some of these errors */
  answer(): Answer;
}

async function settled(sent: Promise<Answer>): Promise<Settled> {
  let answer: Settled["answer"];
  try {
    const value = await sent;
    answer = () => value;
  } catch (error) {
    answer = () => {
      throw error;
    };
  }
  return { ok: true, status: 200, headers: noLength, answer };
}

const noLength = { get: () => "0" };
