import type { Call } from "../engine/call.js";

type Input = string | URL | Request;

/**
 * Reads what `fetch` takes into a call to the service.
 *
 * @throws TypeError when the URL is not below the base URL
 */
export type ToCall = (
  input: Input,
  init: RequestInit | undefined,
  hasOwnClock: boolean,
) => Call | Promise<Call>;

export function createToCall(baseUrl: string): ToCall {
  const { origin, pathname } = new URL(baseUrl);
  const basePath = pathname.replace(/\/$/, "");

  function pathOf(address: string): string {
    const url = new URL(address);
    if (url.origin === origin && url.pathname.startsWith(`${basePath}/`))
      return url.pathname.slice(basePath.length);
    throw new TypeError(
      `Failed to fetch ${url.origin}${url.pathname}: the mock only answers below ${baseUrl} and never uses the ` +
        "network. Please check the client's `baseUrl`.",
    );
  }

  async function fromRequest(request: Request, signal: Call["signal"], hasOwnClock: boolean): Promise<Call> {
    const { method, headers } = request;
    const path = pathOf(request.url);
    const text = await request.text();
    return { method, path, header: (name) => headers.get(name), text, signal, hasOwnClock };
  }

  return (input, init, hasOwnClock) => {
    const signal = () => signalOf(input, init);
    if (isRequest(input)) {
      const changes = Object.keys(init ?? {}).some((name) => name !== "signal");
      return fromRequest(changes ? new Request(input, init) : input, signal, hasOwnClock);
    }
    const { method = "GET", headers, body } = init ?? {};
    // Most calls are plain ones, and making a `Request` would double their cost.
    if (body !== undefined && body !== null && typeof body !== "string") {
      return fromRequest(new Request(input, init), signal, hasOwnClock);
    }
    const sent = new Headers(headers);
    const path = pathOf(String(input));
    return {
      method: method.toUpperCase(),
      path,
      header: (name) => sent.get(name),
      text: body ?? "",
      signal,
      hasOwnClock,
    };
  };
}

/** The signal that ends a fetch: that of `init`, where it names one, comes before the request's own. */
export function signalOf(input: Input, init: RequestInit | undefined): AbortSignal | null | undefined {
  if (init?.signal !== undefined) return init.signal;
  return isRequest(input) ? input.signal : undefined;
}

/** Told by its shape: test runners have several `Request` classes at once. */
function isRequest(input: Input): input is Request {
  return typeof input === "object" && "url" in input;
}
