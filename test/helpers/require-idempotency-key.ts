import { operations } from "../../src/generated/operations.js";

/** Makes each create require an idempotency key in this header, or none if it is undefined. */
export function requireIdempotencyKey(header: string | undefined): void {
  for (const operation of operations) {
    const idempotencyHeader = operation.method === "POST" ? header : undefined;
    Object.assign(operation, { idempotencyHeader, isKeyRequired: idempotencyHeader !== undefined });
  }
}
