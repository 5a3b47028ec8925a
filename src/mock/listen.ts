import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isIPv6 } from "node:net";
import type { Engine } from "./call.js";
import { checkHost, checkPort } from "./options.js";
import { readBody } from "./read-body.js";
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
  const server = createServer((request, response) => void serve(engine, request, response));
  // Who keeps a connection for later is not to find it closed as it sends: for a POST that would look like a lost answer.
  server.keepAliveTimeout = 0;
  await open(server, port, host);
  const address = server.address();
  const boundPort = typeof address === "object" ? address?.port : port;
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
async function serve(engine: Engine, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const caller = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) caller.abort(new Error("The caller closed the connection"));
  });
  try {
    sendAnswer(response, await answerTo(engine, request, caller.signal));
  } catch (error) {
    if (!caller.signal.aborted) sendAnswer(response, unanswered(error));
  }
}

async function answerTo(engine: Engine, request: IncomingMessage, signal: AbortSignal) {
  const { method = "GET", headers } = request;
  const path = pathBelowBase(request.url ?? "");
  const text = await readBody(request);
  if (path === undefined) return notBelowBase(basePath);
  if (text === undefined) return tooLarge();
  const header = (name: string) => headers[name]?.toString();
  return engine({ method, path, header, text, signal, hasOwnClock: true });
}

/** The path of a request's target, which a proxy may send as a whole URL. */
function pathBelowBase(target: string): string | undefined {
  const [path = ""] = target.replace(/^https?:\/\/[^/?#]*/i, "").split("?", 1);
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined;
}
