import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { quoted, Refusal } from "../refusal.js";
import type { Source } from "./source.js";

/** The largest document that is read, in bytes. */
const maxBytes = 10 * 1024 * 1024;

/** The text of a document, from a file or from the network. */
export async function pull(source: Source, timeoutMs: number): Promise<string> {
  const bytes = "file" in source ? await readFile(source.file) : await readUrl(source, timeoutMs);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal("not-utf-8", "it is not valid UTF-8");
  }
}

/** The bytes of a regular file. Others, such as pipes and devices, are not opened: they may block or never end. */
async function readFile(file: string): Promise<Uint8Array> {
  const unreadable = new Refusal("unreadable-file", `${quoted(file)} is not a file that can be read`);
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw unreadable;
  return collect(createReadStream(file)).catch((error) => {
    throw error instanceof Refusal ? error : unreadable;
  });
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
    const bytes = await collect(response.body as unknown as AsyncIterable<Uint8Array>);
    // A truncated compressed body is decompressed as far as possible, without an error.
    const document = Buffer.from(bytes).toString("latin1").trim();
    const isCut = document.startsWith("{") && !document.endsWith("}");
    if (isCut && response.headers.has("content-encoding")) throw new Error("The answer is cut off");
    return bytes;
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
  const type = headers.get("content-type") ?? "";
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(type)?.[1] ?? "utf-8";
  // Many servers send a file without a type or as plain text. An HTML page is not the document, whatever it contains.
  if (/^[^;]*html/i.test(type) || !/^(?:utf-?8|us-ascii)$/i.test(charset)) {
    throw new Refusal("content-type", `the answer's content type is ${quoted(type)}, not JSON in UTF-8`);
  }
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
