import { ConfigurationError, InvalidRequestError, ScreenshotSetsError } from "../index.js";

/** 1 failed · 2 wrong usage, missing key or URL · 3 charged, or maybe charged, and no result. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof ConfigurationError || error instanceof InvalidRequestError) return 2;
  return error instanceof ScreenshotSetsError && error.charged !== "no" ? 3 : 1;
}
