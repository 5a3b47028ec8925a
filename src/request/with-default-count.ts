import { defaults } from "../generated/values.js";
import { withoutInherited } from "../options/checked-options.js";
import type { CreateScreenshotsParams } from "../types.js";

/** Fills in `count`, which the document requires although it states a default for it. */
export function withDefaultCount(params: CreateScreenshotsParams) {
  if (typeof params !== "object" || params === null) return params;
  try {
    const { count } = withoutInherited(params, ["count"]);
    return { ...params, count: count === undefined ? defaults.createScreenshots.count : count };
  } catch {
    // Parameters that cannot be read are refused later, with all other invalid ones.
    return params as never;
  }
}
