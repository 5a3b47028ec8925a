import type { IncomingMessage } from "node:http";

/** Hundreds of times what the service's largest request needs, and little enough for any machine. */
const largestBodyBytes = 1024 * 1024;

const decoder = new TextDecoder();

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/**
 * The body of a request; undefined for one that is too large, which is read to its end all the same, as its sender
 * would not look at an answer before.
 */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  await new Promise<void>((resolve, reject) => {
    request.on("data", (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes <= largestBodyBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.once("end", resolve);
    request.once("error", reject);
  });
  return bytes <= largestBodyBytes ? decoder.decode(Buffer.concat(chunks)) : undefined;
}
