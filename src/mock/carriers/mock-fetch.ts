import { abortable } from "../../time/abortable.js";
import type { Engine } from "../engine/engine.js";
import type { Reply } from "../service/reply.js";

type Input = string | URL | Request;

/** Passes the arguments of `fetch` to the service. Rejects with a TypeError if the URL is not below the base URL. */
export type Ask = (
  input: Input,
  init: RequestInit | undefined,
  options: { hasOwnClock: boolean },
) => Promise<Reply>;

/** Creates the function that passes calls of `fetch` to the service. */
export function askThrough(engine: Engine, baseUrl: string): Ask {
  return async (input, init, { hasOwnClock }) => {
    const signal = signalOf(input, init) ?? undefined;
    const endReading = engine.clock.work();
    try {
      const request = requestOf(input, init);
      const { method = "GET" } = request ?? init ?? {};
      const headers = request?.headers ?? new Headers(init?.headers);
      const path = pathBelow(baseUrl, request?.url ?? String(input));
      const text = request ? await textOf(request, signal) : String(init?.body ?? "");
      signal?.throwIfAborted();
      const header = (name: string) => headers.get(name);
      const asked = { method: method.toUpperCase(), path, header, text, signal: () => signal, hasOwnClock };
      return engine.handle(asked);
    } finally {
      endReading();
    }
  };
}

/** A `Request` if only that can read the input; undefined for most calls, because it would double their cost. */
function requestOf(input: Input, init: RequestInit | undefined): Request | undefined {
  if (!isRequest(input)) return typeof (init?.body ?? "") === "string" ? undefined : new Request(input, init);
  const changes = Object.keys(init ?? {}).some((name) => name !== "signal");
  return changes ? new Request(input, init) : input;
}

function pathBelow(baseUrl: string, address: string): string {
  const { origin, pathname } = new URL(address);
  const target = origin + pathname;
  if (target.startsWith(`${baseUrl}/`)) return target.slice(baseUrl.length);
  throw new TypeError(
    `Failed to fetch ${target}: the mock only answers below ${baseUrl} and never uses the network. ` +
      "Please check the client's `baseUrl`.",
  );
}

/** The signal that aborts a fetch. If `init` has one, it takes precedence over the request's own. */
function signalOf(input: Input, init: RequestInit | undefined): AbortSignal | null | undefined {
  if (init?.signal !== undefined) return init.signal;
  return isRequest(input) ? input.signal : undefined;
}

/** Checks the shape, because test runners may have several `Request` classes at once. */
function isRequest(input: Input): input is Request {
  return typeof input === "object" && "url" in input;
}

/** Reads a body, which may take long. An abort rejects at once. */
function textOf(request: Request, signal: AbortSignal | undefined): Promise<string> {
  return abortable(signal, (resolve, reject) => {
    request.text().then(resolve, reject);
    return undefined;
  });
}

/** In the global symbol registry, because the entry points are bundled separately and share no module. */
const access = Symbol.for("screenshot-sets.mock.access");

/** Attaches to a mock, as a hidden property, the function that its msw handlers use. */
export function grantAsk<Mock extends object>(mock: Mock, ask: Ask): Mock {
  return Object.defineProperty(mock, access, { value: ask });
}

/** @throws TypeError if `mock` was not created by `createMock` */
export function askOf(mock: object): Ask {
  const ask: Ask | undefined = Object(mock)[access];
  if (ask) return ask;
  throw new TypeError("Expected a mock made by `createMock`");
}
