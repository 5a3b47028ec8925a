import createClient, { createQuerySerializer } from "openapi-fetch";
import { ConfigurationError } from "../errors/errors.js";
import { wrongOption } from "../errors/wrong-option.js";
import { getJob } from "../generated/operations.js";
import { unknownName } from "../nearest-name.js";
import type { RequestOptions, Settings } from "../options/options.js";
import { unsendable } from "../schema/parse.js";
import { typeName } from "../schema/type-name.js";
import type { Log } from "../secrets/log.js";
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
import type { RateLimit } from "./rate-limit.js";
import { type Sender, send } from "./send.js";

/** What else is known of a call within the SDK. */
export type CallManner = Partial<Pick<Call, "observer" | "record">>;

/**
 * The only way to the service: openapi-fetch builds each request from the document's path and the input, and hands it to
 * `send`, which knows keys, time-outs, retries and credits.
 */
export class Api {
  readonly #sender: Sender;
  readonly #client: ReturnType<typeof createClient<paths>>;

  constructor(settings: Settings, log: Log, rateLimit: RateLimit) {
    this.#sender = { settings, log, rateLimit };
    this.#client = createClient<paths>({ baseUrl: settings.baseUrl });
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
    const operation = operationAt(method, path);
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
    let sent: Promise<Answer> | undefined;
    let text: string | undefined;
    const bodySerializer = (value: unknown) => {
      text = JSON.stringify(value);
      return text;
    };
    const fetch = async ({ url, headers: all }: Request) => {
      if (!url.startsWith(`${settings.baseUrl}/`)) throw new TypeError("Expected a path below the base URL");
      sent = send({ url, headers: Object.fromEntries(all), body: text }, call, this.#sender);
      await sent;
      return handled;
    };
    const typed = body === undefined || !mediaType ? headers : { ...headers, "content-type": mediaType };
    const init = {
      ...{ params: { path, query: params?.query }, headers: typed, body, fetch },
      bodySerializer,
      querySerializer: (query: object) => queryText(query, queryStyles),
    };
    try {
      const sentPath = operation.sentPath ?? operation.path;
      const ended = this.#client.request(method as "get", sentPath as never, init as never);
      // A test may advance its mock's clock in the same turn, before the mock can see the request.
      settings.clock[holdClock]?.(Promise.resolve());
      await ended;
    } catch (cause) {
      if (sent === undefined) throw refused(name, [unsendable], cause);
    }
    // Not `ended`: openapi-fetch swallows the reason of an abort if it is `false`, 0 or an empty text.
    return sent as unknown as Promise<Answer>;
  }
}

/** An answer in which openapi-fetch finds nothing to read, since `send` has read the answer. */
const handled = { ok: true, status: 204, headers: { get: () => null } } as unknown as Response;

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
