import { defaults } from "../generated/values.js";
import type { CreateScreenshotsParams } from "../types.js";

/** The service requires `count`, and states a default for it; the SDK brings the two together. */
export function withDefaultCount(params: CreateScreenshotsParams) {
  if (typeof params !== "object" || params === null) return params;
  try {
    return { ...params, count: params.count === undefined ? defaults.createScreenshots.count : params.count };
  } catch {
    // What cannot be read is refused with what else makes no sense.
    return params as never;
  }
}
