import { defaults } from "../generated/values.js";
import { withoutInherited } from "../options/checked-options.js";
import type { CreateScreenshotsParams } from "../types.js";

/** The service requires `count`, and states a default for it; the SDK brings the two together. */
export function withDefaultCount(params: CreateScreenshotsParams) {
  if (typeof params !== "object" || params === null) return params;
  try {
    const { count } = withoutInherited(params, ["count"]);
    return { ...params, count: count === undefined ? defaults.createScreenshots.count : count };
  } catch {
    // What cannot be read is refused with what else makes no sense.
    return params as never;
  }
}
