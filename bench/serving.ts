import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Load, LoadOutcome } from "./load.js";

/** The load on a server while it is measured. */
export const connections = 16;
export const seconds = 0.5;

/** A server in a separate process, which ends when it is disconnected. */
export interface Server {
  process: ChildProcess;
  url: string;
  apiKey?: string;
  pageUrl?: string;
}

/** The request that is sent to a server repeatedly. */
export interface Request {
  path: string;
  method: Load["method"];
  body?: string;
}

/** Starts a server from a file in `servers/`. */
export async function startServer(file: string, ...options: string[]): Promise<Server> {
  const child = fork(new URL(`servers/${file}.ts`, import.meta.url), options);
  const [message] = await once(child, "message");
  return { process: child, ...message };
}

/** Starts the process that sends requests. */
export async function startLoader(): Promise<ChildProcess> {
  const child = fork(new URL("load.ts", import.meta.url));
  await once(child, "message");
  return child;
}

/** Measures how many requests per second a server answers. */
export async function requestsPerSecond(
  loader: ChildProcess,
  server: Server,
  { path, method, body }: Request,
): Promise<number[]> {
  const headers = {
    authorization: `Bearer ${server.apiKey ?? "ss_live_0123456789abcdef"}`,
    "content-type": "application/json",
  };
  const url = server.url + path;
  loader.send({ url, method, body, headers, connections, seconds } satisfies Load);
  const [outcome] = (await once(loader, "message")) as [LoadOutcome];
  if (outcome.failures > 0) throw new Error(`${outcome.failures} requests to ${url} failed`);
  return [outcome.requestsPerSecond];
}
