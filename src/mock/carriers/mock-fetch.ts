import { abortable } from "../../time/abortable.js";
import type { Engine, MockRequest } from "../engine/engine.js";
import { toResponse } from "./to-response.js";

type Input = string | URL | Request;

/**
 * Creates a `fetch` that asks the mock. It rejects with a TypeError if the URL is not below the base URL, and where
 * Node's `fetch` would if the connection breaks.
 */
export function mockFetch(engine: Engine, baseUrl: string) {
  return async (input: Input, init?: RequestInit, { hasOwnClock = false } = {}): Promise<Response> => {
    const endReading = engine.clock.work();
    const asked = await readRequest(baseUrl, input, init).finally(endReading);
    return toResponse(await engine.handle({ ...asked, hasOwnClock }));
  };
}

async function readRequest(
  baseUrl: string,
  input: Input,
  init: RequestInit = {},
): Promise<Omit<MockRequest, "hasOwnClock">> {
  const { signal: ownSignal, body, ...rest } = init;
  const signal = (ownSignal === undefined && isRequest(input) ? input.signal : ownSignal) ?? undefined;
  const isText = typeof body === "string";
  // Not made with the signal, on which it would leave a listener, nor with a text, which Node's `Request` never ends
  // while a test runner fakes `queueMicrotask`.
  const changes = { ...rest, ...(body != null && !isText && { body }) };
  const request = isRequest(input) && Object.keys(changes).length === 0 ? input : new Request(input, changes);
  const path = pathBelow(baseUrl, request.url);
  // Waiting for a body that is not there would let a later request overtake.
  const text = isText ? body : request.body ? await textOf(request, signal) : "";
  signal?.throwIfAborted();
  return {
    method: request.method,
    path,
    header: (name) => request.headers.get(name),
    text,
    signal: () => signal,
  };
}

/** Checks the shape, because test runners may have several `Request` classes at once. */
function isRequest(input: Input): input is Request {
  return typeof input === "object" && "url" in input;
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

/** Reads a body, which may take long. An abort rejects at once. */
function textOf(request: Request, signal: AbortSignal | undefined): Promise<string> {
  return abortable(signal, (resolve, reject) => {
    request.text().then(resolve, reject);
    return undefined;
  });
}
