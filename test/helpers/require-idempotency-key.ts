import { operations } from "../../src/generated/operations.js";
import type { Operation } from "../../src/request/call.js";

/** Makes each create require an idempotency key in this header, or none if it is undefined. */
export function requireIdempotencyKey(header: string | undefined): void {
  for (const operation of operations as readonly { -readonly [Name in keyof Operation]: Operation[Name] }[]) {
    operation.idempotencyHeader = operation.method === "POST" ? header : undefined;
    operation.isKeyRequired = operation.idempotencyHeader !== undefined;
  }
}
