import type { ErrorDetails, ScreenshotSetsError } from "./errors.js";

/** Copies an error, with `changes`. */
export function copyOf(error: ScreenshotSetsError, changes: ErrorDetails = {}): ScreenshotSetsError {
  const errorClass = error.constructor as new (message: string, details: object) => ScreenshotSetsError;
  return new errorClass(error.message, { ...error, cause: error.cause, ...changes });
}
