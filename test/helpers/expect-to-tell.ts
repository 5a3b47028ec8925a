import { ScreenshotSetsError } from "screenshot-sets";
import { expect } from "vitest";

/** A key and an address that no message may repeat. */
export const secret = "sk_live_0123456789abcdef";
export const address = "https://hidden-host.example/api/v1";

// biome-ignore lint/suspicious/noExplicitAny: the programs of these tests have no types
export type Any = any;

/** Expects that an error has this message, which says what happened, to what, and what to do, without a secret. */
export function expectToTell(error: Any, message: string): void {
  expect(error).toBeInstanceOf(ScreenshotSetsError);
  expect(error.message).toBe(message);
  expect(message).not.toMatch(/sk_live|hidden/);
  expect(message).toMatch(/[.?]$/);
}
