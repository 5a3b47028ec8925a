import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, isIPv6 } from "node:net";
import { checkHost, checkPort } from "../checks.js";
import type { Answer, Engine } from "../engine/call.js";
import { hasBody, readBody } from "./read-body.js";
import { sendAnswer } from "./send-answer.js";
import { notBelowBase, tooLarge, unanswered } from "./unanswered.js";

/** Where to listen. */
export interface ListenOptions {
  /**
   * 0 for one that is free.
   * @default 0
   */
  port?: number | undefined;
  /**
   * A loopback address, or a name of it; nobody else is to reach the mock.
   * @default "127.0.0.1"
   */
  host?: string | undefined;
}

/** The mock as a server. */
export interface Listener {
  /** The service's `{base_url}`, which ends in `/api/v1`. */
  readonly url: string;
  /** Ends every connection, those that hang too, and frees the port. */
  close(): Promise<void>;
}

/** What every base address of the service ends in (section 1 of its document). */
const basePath = "/api/v1";

/**
 * Serves a mock over HTTP.
 *
 * @throws TypeError or RangeError when an option is not what it should be; the error of Node where the port is taken
 */
export async function listen(engine: Engine, options: ListenOptions = {}): Promise<Listener> {
  const port = checkPort(options.port ?? 0);
  const host = checkHost(options.host ?? "127.0.0.1");
  const server = createServer((request, response) => serve(engine, request, response));
  // Who keeps a connection for later is not to find it closed as it sends: for a POST that would look like a lost answer.
  server.keepAliveTimeout = 0;
  await open(server, port, host);
  // A string would be the path of a pipe.
  const { port: boundPort } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${isIPv6(host) ? `[${host}]` : host}:${boundPort}${basePath}`,
    close() {
      closing ??= close(server);
      return closing;
    },
  };
}

function open(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", ({ code, message }: NodeJS.ErrnoException) => {
      const hint =
        code === "EADDRINUSE"
          ? "the port is in use. Please pass another `port`, or none for one that is free."
          : message;
      reject(Object.assign(new Error(`Failed to listen on ${host}:${port}: ${hint}`), { code }));
    });
    server.listen(port, host, resolve);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Never throws: nobody could catch it. */
function serve(engine: Engine, request: IncomingMessage, response: ServerResponse): void {
  const answer = (text: string | undefined) => respond(engine, request, response, text);
  if (hasBody(request)) readBody(request, answer);
  else answer("");
}

/** An answer at hand is sent at once: each promise on the way would cost a twentieth of the server's speed. */
function respond(
  engine: Engine,
  request: IncomingMessage,
  response: ServerResponse,
  text: string | undefined,
): void {
  const send = (answer: Answer) => sendAnswer(response, answer);
  const sendError = (error: unknown) => send(unanswered(error));
  try {
    const answer = answerTo(engine, request, response, text);
    if ("then" in answer) answer.then(send).catch(sendError);
    else send(answer);
  } catch (error) {
    sendError(error);
  }
}

function answerTo(
  engine: Engine,
  request: IncomingMessage,
  response: ServerResponse,
  text: string | undefined,
) {
  const { method = "GET", headers } = request;
  // What a server gets has one.
  const path = pathBelowBase(request.url as string);
  if (path === undefined) return notBelowBase(basePath);
  if (text === undefined) return tooLarge();
  // Only `set-cookie` is an array.
  const header = (name: string) => headers[name] as string | undefined;
  return engine({ method, path, header, text, signal: () => signalOf(response), hasOwnClock: true });
}

/** Aborts when the caller closes the connection before the answer is sent. */
function signalOf(response: ServerResponse): AbortSignal {
  const caller = new AbortController();
  const abort = () => caller.abort(new Error("The caller closed the connection"));
  if (response.destroyed) abort();
  else response.once("close", abort);
  return caller.signal;
}

/** The path of a request's target, which a proxy may send as a whole URL. */
function pathBelowBase(target: string): string | undefined {
  const local = target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?#]*/i, "");
  if (!local.startsWith(`${basePath}/`)) return undefined;
  const query = local.indexOf("?");
  return local.slice(basePath.length, query === -1 ? undefined : query);
}
