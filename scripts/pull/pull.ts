import { readFile, stat } from "node:fs/promises";
import { quoted, Refusal } from "../refusal.js";

/** Where a document comes from. */
export type Source = { file: string } | { url: URL; headers: Record<string, string> };

/** Hosts that are this machine, so that plain HTTP to them crosses no network. */
const loopback = /^(?:127(?:\.\d+){3}|\[::1\]|(?:.+\.)?localhost)$/;

/**
 * What `--from` means: a file, or the URL of a document or of the service (sections 1 and 4.4 of its specification).
 *
 * @throws Refusal when nothing may be requested from the URL
 */
export function sourceOf(from: string, environment: NodeJS.ProcessEnv): Source {
  if (!/^[a-z][a-z\d+.-]+:\/\//i.test(from)) return { file: from };
  if (!URL.canParse(from)) throw badUrl();
  const url = new URL(from);
  if (url.username || url.password || url.hash || !/^https?:$/.test(url.protocol)) throw badUrl();
  if (url.protocol === "http:" && !loopback.test(url.hostname)) {
    throw new Refusal("insecure-url", "anybody on the way could change what comes over plain HTTP");
  }
  const isBaseUrl = /^\/*$|\/api\/v\d+\/*$/.test(url.pathname);
  if (isBaseUrl) url.pathname = `${url.pathname.replace(/\/+$/, "")}/public/openapi.json`;
  return { url, headers: keyHeader(url, isBaseUrl, environment) };
}

/** The URL may hold a secret, so it is not repeated. */
const badUrl = (): Refusal => new Refusal("bad-url", "it is not a URL without user information and fragment");

/** The key is sent only to its own service: that of the environment, or else that of a base URL. */
function keyHeader(url: URL, isBaseUrl: boolean, environment: NodeJS.ProcessEnv): Record<string, string> {
  const { SCREENSHOT_SETS_API_KEY: key, SCREENSHOT_SETS_BASE_URL: baseUrl } = environment;
  const isOfService = (base: string) => URL.canParse(base) && new URL(base).origin === url.origin;
  const mayGetKey = baseUrl ? isOfService(baseUrl) : isBaseUrl;
  if (!key || !mayGetKey) return {};
  if (/[^\x21-\x7e]/.test(key)) throw new Refusal("bad-key", "it holds characters other than visible ASCII");
  return { authorization: `Bearer ${key}` };
}

/** The largest document that is read, in bytes. */
const maxBytes = 10 * 1024 * 1024;

/** The text of a document, from a file or from the network. */
export async function pull(source: Source, timeoutMs: number): Promise<string> {
  const bytes = "file" in source ? await readDocument(source.file) : await readUrl(source, timeoutMs);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal("not-utf-8", "it is not valid UTF-8");
  }
}

/** The bytes of a regular file. Others, such as pipes and devices, are not opened: they may block or never end. */
async function readDocument(file: string): Promise<Uint8Array> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile())
    throw new Refusal("unreadable-file", `${quoted(file)} is not a file that can be read`);
  vetSize(found.size);
  return readFile(file);
}

/** The bytes at a URL, from one request; redirects are not followed. */
async function readUrl(source: Exclude<Source, { file: string }>, timeoutMs: number): Promise<Uint8Array> {
  // One time limit for the whole exchange, so that a server that sends one byte a second is also too slow.
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  try {
    const headers = { accept: "application/json", ...source.headers };
    const request: RequestInit = { headers, redirect: "manual", signal: controller.signal };
    const response = await fetch(source.url, request).catch((error) => {
      if (controller.signal.aborted) throw error;
      const code = quoted(String(error.cause?.code ?? "unknown"));
      throw new Refusal("unreachable", `the service cannot be reached (${code})`);
    });
    vetResponse(response);
    return await collect(response.body as unknown as AsyncIterable<Uint8Array>);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw controller.signal.aborted
      ? new Refusal("too-slow", `the answer was not complete after ${timeoutMs / 1000} s`)
      : new Refusal("broken-off", "the answer broke off");
  } finally {
    clearTimeout(timer);
    // Stops receiving an answer that was refused.
    controller.abort();
  }
}

function vetResponse({ status, headers }: Response): void {
  if (status >= 300 && status < 400 && status !== 304) {
    throw new Refusal("redirect", `the answer is a redirect (${status}), which is not followed`);
  }
  const advice = status === 401 ? ", as for a wrong or missing key: SCREENSHOT_SETS_API_KEY holds it" : "";
  if (status !== 200) throw new Refusal("http-status", `the answer has status ${status}${advice}`);
  vetSize(Number(headers.get("content-length")));
}

/** Reads all bytes of a stream, and refuses it as soon as there are too many. */
async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    vetSize(size);
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

function vetSize(size: number): void {
  if (size > maxBytes) throw new Refusal("too-large", `it is larger than ${maxBytes / 1024 / 1024} MB`);
}
