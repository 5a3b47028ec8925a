import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { wrongOption } from "../../errors/wrong-option.js";
import { basePath } from "../../generated/values.js";
import { count, flag, type Table } from "../../options/read-options.js";
import type { ControlledMock, Served } from "../page/controlled-mock.js";
import { readMockOptions } from "../read-mock-options.js";
import { mockReply } from "../service/reply.js";
import { absolute, readText, send, serve } from "./serve.js";

/** Where to listen. */
export interface ListenOptions {
  /**
   * The port; 0 for any free one.
   * @default 0
   */
  port?: number | undefined;
  /**
   * The address to listen on. Other machines reach the mock only if one of this machine's addresses in their network,
   * or `"0.0.0.0"` for all, is named here, as in a container.
   * @default "127.0.0.1"
   */
  host?: string | undefined;
  /**
   * Names and addresses, without a port, under which browsers and programs may open the page and its control API, such
   * as a container's name. The service itself answers under any name.
   * @default names of this machine only: `localhost`, 127.0.0.0/8 and `[::1]`
   */
  allowedHosts?: readonly string[] | undefined;
  /**
   * Also serves a page at `/` that shows what the mock does and lets you control it, and its control API below
   * `/_mock/`. Both are loaded only with the first request for them.
   * @default false
   */
  page?: boolean | undefined;
}

const listenTable = {
  port: count(0, 0, 65_535),
  // Node takes an empty host, such as that of an unset variable, for all addresses.
  host: (given = "127.0.0.1") => {
    if (typeof given === "string" && given !== "") return given;
    throw wrongOption("`host`", 'an address or a name of this machine, such as "0.0.0.0" for all', given);
  },
  allowedHosts: (given: readonly string[] = []) => {
    if (!Array.isArray(given)) throw wrongOption("`allowedHosts`", "an array of host names", given);
    return given.map((name: string) => {
      if (/^([\w.-]+|\[[\da-f:]+\])$/i.test(name)) return name.toLowerCase();
      throw wrongOption("each of `allowedHosts`", "a host name without a port", name);
    });
  },
  page: flag,
} satisfies Table<ListenOptions>;

/** What `await using` needs; nothing where the types of the platform do not know it yet. */
type Disposal = typeof Symbol extends { readonly asyncDispose: infer Key extends symbol }
  ? { readonly [Name in Key]: () => Promise<void> }
  : object;

/** The mock as a server. `await using` closes it at the end of its block. */
export interface Listener extends Disposal {
  /** The base URL for clients: the server's origin with the path of the service's base address. */
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
  const { port, host, allowedHosts, page: hasPage } = readMockOptions("mock.listen", options, listenTable);
  const http = globalThis.process?.getBuiltinModule?.("node:http");
  if (!http) {
    throw new TypeError(
      "Failed to listen: only Node, Bun and Deno can serve HTTP. Please pass `mock.clientOptions` to the client, or use the handlers for msw.",
    );
  }
  const page = hasPage ? pageLater(mock, () => ({ url, allowedHosts })) : undefined;
  const server = http.createServer((request, response) => {
    if (!isForPage(request)) serve(mock.engine, request, response);
    else if (page) page(request, response);
    else readText(request, () => send(response, withoutPage));
  });
  // Never close idle connections: a client that reuses one at that moment for a POST would see a lost answer.
  server.keepAliveTimeout = 0;
  await open(server, port, host);
  // The address is a string only for a pipe.
  const { port: boundPort } = server.address() as AddressInfo;
  // Nobody can connect to an address that stands for all of this machine's.
  const own = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  const origin = `http://${own.includes(":") ? `[${own}]` : own}:${boundPort}`;
  const url = origin + basePath;
  let closing: Promise<void> | undefined;
  const closeOnce = () => (closing ??= close(server));
  // Compiled programs use the latter where the platform lacks the symbol, as Jest does on Node 20.
  const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");
  return { url, pageUrl: page && `${origin}/`, close: closeOnce, [asyncDispose]: closeOnce };
}

/** Whether a request is for the page or its control API. */
function isForPage({ url = "" }: IncomingMessage): boolean {
  return /^\/(?:$|\?|_mock(?:[/?]|$))/.test(url.startsWith("/") ? url : url.replace(absolute, ""));
}

/**
 * Passes requests to the page, which is loaded on the first one.
 *
 * @param served returns how the mock is served, which is known only once the server listens
 */
function pageLater(mock: ControlledMock, served: () => Served) {
  let loading: Promise<(request: IncomingMessage, response: ServerResponse) => void> | undefined;
  return (request: IncomingMessage, response: ServerResponse): void => {
    loading ??= import("../page/page.js").then(({ createPage }) => createPage(mock, served()));
    loading.then(
      (page) => page(request, response),
      (error) => {
        // A bundler may have left out the page, or a test runner may be unable to load modules later.
        const message = `The mock's page could not be loaded (${error}). The service itself is not affected.`;
        send(response, mockReply(500, "page_unavailable", message));
      },
    );
  };
}

const withoutPage = mockReply(
  404,
  "not_found",
  `The mock only answers below ${basePath}. Its page and its control API are off: they need \`page: true\`, or the command line without --no-page.`,
);

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
