import type { ErrorDetails, ScreenshotSetsError } from "./errors.js";

/** A copy for each wait that shares a failure, with the same contents but for `changes`. */
export function copyOf(error: ScreenshotSetsError, changes: ErrorDetails = {}): ScreenshotSetsError {
  const errorClass = error.constructor as new (message: string, details: object) => ScreenshotSetsError;
  return new errorClass(error.message, { ...error, cause: error.cause, ...changes });
}
