import type { IncomingMessage } from "node:http";

/** Hundreds of times what the service's largest request needs, and little enough for any machine. */
const largestBodyBytes = 1024 * 1024;

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/**
 * Passes on the body of a request; undefined for one that is too large, which is read to its end all the same, as its
 * sender would not look at an answer before. Nothing for one that breaks off: there is nobody to be answered.
 */
export function readBody(request: IncomingMessage, done: (text: string | undefined) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= largestBodyBytes) chunks.push(chunk);
    else chunks.length = 0;
  });
  request.once("end", () => done(bytes <= largestBodyBytes ? textOf(chunks) : undefined));
}

/** Most bodies come in one piece. A byte order mark is no part of the text. */
function textOf(chunks: Buffer[]): string {
  const text = (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))?.toString() ?? "";
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}
