import createClient, { createQuerySerializer } from "openapi-fetch";
import { ConfigurationError } from "../errors/errors.js";
import { wrongOption } from "../errors/wrong-option.js";
import { getJob } from "../generated/operations.js";
import { isRead } from "../is-read.js";
import type { RequestOptions, Settings } from "../options/options.js";
import { unsendable } from "../schema/parse.js";
import { typeName } from "../schema/type-name.js";
import type { Log } from "../secrets/log.js";
import { unknownName } from "../text/nearest-name.js";
import { holdClock } from "../time/clock-hooks.js";
import type { paths } from "../types.js";
import type { Answer } from "./answer.js";
import {
  type Call,
  callOptions,
  checkedInput,
  checkedPath,
  checkPlatform,
  type Input,
  keyedHeaders,
  type Operation,
  operationAt,
  refused,
} from "./call.js";
import { RateLimit } from "./rate-limit.js";
import { type Sender, send } from "./send.js";

/** What else is known of a call within the SDK. */
export type CallManner = Partial<Pick<Call, "observer" | "record">>;

/**
 * The only way to the service: openapi-fetch builds each request from the document's path and the input, and hands it to
 * `send`, which knows keys, time-outs, retries and credits.
 */
export class Api {
  readonly #sender: Sender;
  readonly #build: Build;

  constructor(settings: Settings, log: Log) {
    this.#sender = { settings, log, rateLimit: new RateLimit(settings.clock) };
    this.#build = createClient<paths>({ baseUrl: settings.baseUrl }).request as Build;
  }

  /** Pauses together with another one after a 429. */
  shareRateLimit(other: Api): void {
    this.#sender.rateLimit = other.#sender.rateLimit;
  }

  /**
   * Calls an operation with parameters and an answer that are checked: the answer for what the SDK needs of it.
   *
   * @throws {InvalidRequestError} if the input breaks the document's constraints, before anything is sent
   */
  async call(
    operation: Operation,
    input: Input,
    options?: RequestOptions,
    how: CallManner = {},
  ): Promise<Answer> {
    const { log } = this.#sender;
    const { name } = operation;
    const checked = checkedInput(operation, input, log);
    const answer = await this.#send(operation, checked, options, { ...how, isChecked: true });
    const [oddity] = answer.oddities;
    if (oddity) {
      const message = "An answer differs from the document, and was passed on as it came";
      log.warnOnce(name, message, { field: oddity.path, difference: oddity.message });
    }
    return answer;
  }

  /**
   * Sends a request to any address below the base URL, and checks neither parameters nor the answer.
   *
   * @throws {InvalidRequestError} for what no request can hold, and for an address that is not below the base URL
   */
  request(method: string, path: string, input: Input = {}, options?: RequestOptions): Promise<Answer> {
    const operation = operationAt(method, path, this.#sender.settings.apiKey.recent());
    // A signal or headers, which are options, would be ignored here.
    if (typeName(input) !== "an object") {
      throw wrongOption("the input of `request`", "an object such as `{ params, body }`", input);
    }
    const unknown = unknownName("The input of `request`", input, ["params", "body"], "field");
    if (unknown) throw new ConfigurationError(unknown);
    return this.#send(operation, input, options, { isChecked: false });
  }

  async #send(
    operation: Operation,
    { params, body }: Input,
    options: RequestOptions | undefined,
    how: CallManner & { isChecked: boolean },
  ): Promise<Answer> {
    const { settings } = this.#sender;
    checkPlatform(settings);
    const { name, method, mediaType, queryStyles } = operation;
    const path = checkedPath(operation, params?.path);
    const { headers: given, ...own } = callOptions(settings, name, options);
    const { headers, idempotencyKey } = keyedHeaders(operation, given);
    const jobId = operation === getJob ? path.id : undefined;
    const call = { operation, idempotencyKey, jobId, ...own, ...how };
    return new Promise((resolve, reject) => {
      const fetch = (request: BuiltRequest) => {
        if (!request.url.startsWith(`${settings.baseUrl}/`))
          throw new TypeError("Expected a path below the base URL");
        resolve(send(request, call, this.#sender));
        // Never answered, because `send` reads the answer.
        return new Promise<never>(() => {});
      };
      const build = this.#build(method, operation.sentPath ?? operation.path, {
        params: { path, query: params?.query },
        headers: body === undefined || !mediaType ? headers : { ...headers, "content-type": mediaType },
        body,
        bodySerializer: (value) => JSON.stringify(value),
        querySerializer: (query) => queryText(query, queryStyles),
        Request: BuiltRequest,
        fetch,
      });
      build.catch((cause) => reject(refused(name, [unsendable], cause)));
      // A test may advance its mock's clock in the same turn, before the mock can see the request.
      settings.clock[holdClock]?.(Promise.resolve());
    });
  }
}

/**
 * `request` of openapi-fetch as it is called here: with any method and path, and with a class of ours. It writes the
 * parameters into the path and the query, and serializes the body. It does nothing else for us.
 */
type Build = (
  method: string,
  path: string,
  init: {
    params: { path: Record<string, string>; query: Record<string, unknown> | undefined };
    headers: Record<string, string>;
    body: unknown;
    bodySerializer(body: unknown): string | undefined;
    querySerializer(query: object): string;
    Request: typeof BuiltRequest;
    fetch(request: BuiltRequest): Promise<never>;
  },
) => Promise<unknown>;

/** What openapi-fetch builds in the place of a global `Request`, which takes longer: only what is sent. */
class BuiltRequest {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;

  /** @throws {TypeError} for what no request can hold, as `Request` does */
  constructor(
    url: string,
    { method, headers, body }: { method: string; headers: Headers; body: string | undefined },
  ) {
    if (/^(CONNECT|TRACE|TRACK)$/.test(method)) throw new TypeError(`Expected another method than ${method}`);
    if (body !== undefined && isRead(method)) throw new TypeError(`Expected no body in a ${method}`);
    // Without the dots of a path, which may lead away from the base URL.
    this.url = new URL(url).href;
    this.headers = Object.fromEntries(headers);
    this.body = body;
  }
}

/** Writes each parameter of a query in the style that the document names for it. */
function queryText(query: object, styles: Operation["queryStyles"]): string {
  const parts = Object.entries(query).map(([name, value]) => {
    const style = styles?.[name];
    if (style?.style === "json") return createQuerySerializer()({ [name]: JSON.stringify(value) });
    const options = style && { array: style, object: style, allowReserved: style.allowReserved };
    return createQuerySerializer(options as object)({ [name]: value });
  });
  return parts.filter(Boolean).join("&");
}
