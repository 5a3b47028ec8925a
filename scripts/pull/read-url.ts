import { type NetworkCode, quoted, Refusal, type RefusalCode } from "../refusal.js";

/** The bytes behind a URL, by one request that is never led anywhere else. */
export async function readUrl(
  { url, headers }: { url: URL; headers: Record<string, string> },
  largest: number,
  timeoutMs: number,
): Promise<Uint8Array> {
  // One time for everything, from the first packet to the last: a server that sends a byte a second is slow too.
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  try {
    const response = await request(url, headers, controller.signal);
    vetResponse(response, largest);
    return await collect(chunksOf(response), largest);
  } catch (error) {
    throw error instanceof Refusal ? error : brokenOff(controller.signal.aborted, timeoutMs);
  } finally {
    clearTimeout(timer);
    // Of an answer that was refused, the rest is not awaited.
    controller.abort();
  }
}

function request(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
  return fetch(url, {
    headers: { accept: "application/json", ...headers },
    redirect: "manual",
    signal,
  }).catch((error: Error) => {
    throw signal.aborted ? error : unreachable(error);
  });
}

async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    yield read.value;
  }
}

function vetResponse({ status, headers }: Response, largest: number): void {
  if (status >= 300 && status < 400) {
    throw refusal("redirect", `the answer is a redirect (${status}), which is not followed`);
  }
  if (status !== 200) throw refusal("http-status", `the answer has status ${status}`);
  vetType(headers.get("content-type") ?? "");
  if (Number(headers.get("content-length")) > largest) throw tooLarge(largest);
}

function unreachable(error: Error): Refusal {
  const { cause } = error as { cause?: { code?: unknown } };
  return refusal(
    "unreachable",
    `the service cannot be reached (${quoted(String(cause?.code ?? "unknown"))})`,
  );
}

/** Many servers give a file no type, or that of plain text. A page is none that was asked for, whatever is in it. */
function vetType(type: string): void {
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(type)?.[1] ?? "utf-8";
  if (/^[^;]*html/i.test(type) || !/^(?:utf-?8|us-ascii)$/i.test(charset)) {
    throw refusal("content-type", `the answer's content type is ${quoted(type)}, not JSON in UTF-8`);
  }
}

function brokenOff(isLate: boolean, timeoutMs: number): Refusal {
  return isLate
    ? refusal("too-slow", `the answer was not complete after ${timeoutMs / 1000} s`)
    : refusal("broken-off", "the answer broke off");
}

function refusal(code: RefusalCode | NetworkCode, reason: string): Refusal {
  return new Refusal(code, `Failed to pull the document: ${reason}. Please check the URL and try again.`);
}

/** All bytes of a stream; refused once they are more than `largest`, however many more would come. */
export async function collect(chunks: AsyncIterable<Uint8Array>, largest: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > largest) throw tooLarge(largest);
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

function tooLarge(largest: number): Refusal {
  return new Refusal(
    "too-large",
    `Failed to read the document: it is larger than ${largest / 1024 / 1024} MB. Please give the service's OpenAPI document.`,
  );
}
