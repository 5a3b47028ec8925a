import { createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A request as received by a server. */
export interface Seen {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** What a server does with one request after reading all of it. */
export type Answer = (socket: Socket, seen: Seen, index: number) => unknown;

export interface RawServer {
  port: number;
  /** The base URL for a client. */
  baseUrl: string;
  seen: Seen[];
  connections: number;
}

/** A loopback server that reads requests and answers with arbitrary bytes. It is closed at the end of the test. */
export async function rawServer(
  answer: Answer,
  onConnection: (socket: Socket) => void = () => {},
): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const state: RawServer = { port: 0, baseUrl: "", seen: [], connections: 0 };
  const server = createServer((socket) => {
    sockets.add(socket);
    state.connections++;
    socket.on("error", () => {});
    onConnection(socket);
    let bytes = "";
    socket.on("data", (chunk) => {
      bytes += chunk.toString("latin1");
      const request = parsed(bytes);
      if (request === undefined) return;
      bytes = "";
      state.seen.push(request);
      answer(socket, request, state.seen.length - 1);
    });
  });
  state.port = await listening(server);
  state.baseUrl = `http://127.0.0.1:${state.port}/api/v1`;
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return state;
}

/** Starts a server on loopback and returns its port. */
export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as { port: number }).port;
}

function parsed(bytes: string): Seen | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [first = "", ...lines] = bytes.slice(0, end).split("\r\n");
  const headers = Object.fromEntries(lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2)));
  const body = bytes.slice(end + 4);
  if (body.length < Number(headers["content-length"] ?? 0)) return undefined;
  const [method = "", path = ""] = first.split(" ");
  return { method, path, headers, body };
}

/** The head of an answer, including its blank line. */
export function head(status: number, headers: Record<string, string | number> = {}): string {
  const lines = Object.entries({ connection: "close", ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `${[`HTTP/1.1 ${status} Status`, ...lines].join("\r\n")}\r\n\r\n`;
}

/** Sends a complete answer. A body that is neither a string nor bytes is sent as JSON. */
export function reply(
  status: number,
  body: unknown = "",
  headers: Record<string, string | number> = {},
): Answer {
  const bytes = body instanceof Uint8Array || typeof body === "string" ? body : JSON.stringify(body);
  return (socket) => {
    socket.write(head(status, { "content-length": Buffer.byteLength(bytes), ...headers }));
    socket.end(bytes);
  };
}
