import type { ServerResponse } from "node:http";
import type { Answer } from "../engine/call.js";
import { isBodiless } from "./to-response.js";

/** Sends an answer, or breaks the connection, as the answer says. */
export function sendAnswer(response: ServerResponse, answer: Answer): void {
  if (response.destroyed) return;
  if (answer.kind === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  const { kind, status, headers, body } = answer;
  if (kind === "truncated") breakOff(response, status, headers, body);
  else if (isBodiless(status)) response.writeHead(status, headers).end();
  else response.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers }).end(body);
}

/** Sends the first half of a body, and closes the connection where more was promised. */
function breakOff(
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  body: string,
): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...headers, "content-length": Math.max(bytes.length, 1) });
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
}
