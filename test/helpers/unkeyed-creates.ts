import { operations } from "../../src/generated/operations.js";
import type { Operation } from "../../src/request/call.js";

// A set-up file: whatever the document says, no operation requires an idempotency key. Most tests are about creates
// that are therefore not sent again; `idempotency-key.test.ts` tests the others.
requireIdempotencyKey(undefined);

/** Makes each create require an idempotency key in this header, or none if it is undefined. */
export function requireIdempotencyKey(header: string | undefined): void {
  for (const operation of operations as readonly { -readonly [Name in keyof Operation]: Operation[Name] }[]) {
    operation.idempotencyHeader = operation.method === "POST" ? header : undefined;
  }
}
