import { quoted, Refusal } from "../refusal.js";

/** The bytes at a URL, from one request; redirects are not followed. */
export async function readUrl(
  { url, headers }: { url: URL; headers: Record<string, string> },
  maxBytes: number,
  timeoutMs: number,
): Promise<Uint8Array> {
  // One limit for the whole exchange, so that a server that sends a byte a second is also too slow.
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  try {
    const response = await request(url, headers, controller.signal);
    vetResponse(response, maxBytes);
    return await collect(response.body as unknown as AsyncIterable<Uint8Array>, maxBytes);
  } catch (error) {
    throw error instanceof Refusal ? error : brokenOff(controller.signal.aborted, timeoutMs);
  } finally {
    clearTimeout(timer);
    // Stops receiving an answer that was refused.
    controller.abort();
  }
}

function request(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
  return fetch(url, {
    headers: { accept: "application/json", ...headers },
    redirect: "manual",
    signal,
  }).catch((error: Error & { cause?: { code?: unknown } }) => {
    if (signal.aborted) throw error;
    const code = String(error.cause?.code ?? "unknown");
    throw new Refusal("unreachable", `the service cannot be reached (${quoted(code)})`);
  });
}

function vetResponse({ status, headers }: Response, maxBytes: number): void {
  if (status >= 300 && status < 400) {
    throw new Refusal("redirect", `the answer is a redirect (${status}), which is not followed`);
  }
  if (status !== 200) throw new Refusal("http-status", `the answer has status ${status}`);
  vetType(headers.get("content-type") ?? "");
  if (Number(headers.get("content-length")) > maxBytes) throw tooLarge(maxBytes);
}

/** Many servers give a file no type, or plain text. An HTML page is not the document, whatever it contains. */
function vetType(type: string): void {
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(type)?.[1] ?? "utf-8";
  if (/^[^;]*html/i.test(type) || !/^(?:utf-?8|us-ascii)$/i.test(charset)) {
    throw new Refusal("content-type", `the answer's content type is ${quoted(type)}, not JSON in UTF-8`);
  }
}

function brokenOff(isLate: boolean, timeoutMs: number): Refusal {
  return isLate
    ? new Refusal("too-slow", `the answer was not complete after ${timeoutMs / 1000} s`)
    : new Refusal("broken-off", "the answer broke off");
}

/** All bytes of a stream, which is refused as soon as there are more than `maxBytes`. */
export async function collect(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal("too-large", `it is larger than ${maxBytes / 1024 / 1024} MB`);
}
