import type { IncomingMessage } from "node:http";

/** Hundreds of times what the service's largest request needs, and little enough for any machine. */
const largestBodyBytes = 1024 * 1024;

const decoder = new TextDecoder();

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/**
 * Passes on the body of a request; undefined for one that is too large, which is read to its end all the same, as its
 * sender would not look at an answer before. Nothing for one that breaks off: there is nobody to be answered.
 */
export function readBody(request: IncomingMessage, done: (text: string | undefined) => void): void {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  request.on("data", (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes <= largestBodyBytes) chunks.push(chunk);
    else chunks.length = 0;
  });
  request.once("end", () => done(bytes <= largestBodyBytes ? textOf(chunks) : undefined));
}

/** Most bodies come in one piece. */
function textOf(chunks: Uint8Array[]): string {
  return decoder.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
}
