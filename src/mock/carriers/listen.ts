import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { checkFlag, checkHost, checkInteger, checkOptions } from "../checks.js";
import type { ControlledMock } from "../page/controlled-mock.js";
import { isForPage, pageLater } from "./page-later.js";
import { basePath, serve } from "./serve.js";

/** Where to listen. */
export interface ListenOptions {
  /**
   * The port; 0 for any free one.
   * @default 0
   */
  port?: number | undefined;
  /**
   * A loopback address or its name: other machines must not reach the mock.
   * @default "127.0.0.1"
   */
  host?: string | undefined;
  /**
   * Also serves a page at `/` that shows what the mock does and lets you control it, and its control API below
   * `/_mock/`. Both are loaded only with the first request for them.
   * @default false
   */
  page?: boolean | undefined;
}

/** The mock as a server. */
export interface Listener {
  /** The service's `{base_url}`, which ends in `/api/v1`. */
  readonly url: string;
  /** The address of the page; undefined if `page` is off. */
  readonly pageUrl: string | undefined;
  /** Closes every connection, including those that hang, and frees the port. */
  close(): Promise<void>;
}

/**
 * Serves a mock over HTTP. Node's module is not imported, because bundlers for browsers and workers would fail on that.
 *
 * @throws TypeError or RangeError if an option is invalid; an Error with Node's `code` if it cannot listen on the port
 */
export async function listen(mock: ControlledMock, options: ListenOptions = {}): Promise<Listener> {
  checkOptions("`mock.listen`", options, { port: 0, host: 0, page: 0 });
  const port = checkInteger("port", options.port ?? 0, 0, 65_535);
  const host = checkHost(options.host ?? "127.0.0.1");
  const http = globalThis.process?.getBuiltinModule?.("node:http");
  if (!http) {
    throw new TypeError(
      "Failed to listen: only Node, Bun and Deno can serve HTTP. Please pass `mock.clientOptions` to the client, or use the handlers for msw.",
    );
  }
  const page = checkFlag("page", options.page ?? false) ? pageLater(mock, () => url) : undefined;
  const server = http.createServer((request, response) => {
    if (page && isForPage(request)) page(request, response);
    else serve(mock.engine, request, response);
  });
  // Never close idle connections: a client that reuses one at that moment for a POST would see a lost answer.
  server.keepAliveTimeout = 0;
  await open(server, port, host);
  // The address is a string only for a pipe.
  const { port: boundPort } = server.address() as AddressInfo;
  const origin = `http://${host.includes(":") ? `[${host}]` : host}:${boundPort}`;
  const url = origin + basePath;
  let closing: Promise<void> | undefined;
  return { url, pageUrl: page && `${origin}/`, close: () => (closing ??= close(server)) };
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
