import { createScreenshots } from "../generated/operations.js";
import { defaults } from "../generated/values.js";
import { withoutInherited } from "../options/checked-options.js";
import { fieldNames } from "../schema/parse.js";
import type { CreateScreenshotsParams } from "../types.js";

/**
 * Fills in `count`, which the document requires although it states a default for it. Fields that `params` has from its
 * class, such as getters, are copied too.
 */
export function withDefaultCount(params: CreateScreenshotsParams) {
  if (typeof params !== "object" || params === null) return params;
  try {
    const names = (fieldNames(createScreenshots.body) ?? []) as (keyof CreateScreenshotsParams)[];
    const given = withoutInherited(params, names);
    const known = Object.fromEntries(names.map((name) => [name, given[name]]));
    const { count = defaults.createScreenshots.count } = given;
    return { ...params, ...known, count };
  } catch {
    // Parameters that cannot be read are refused later, with all other invalid ones.
    return params as never;
  }
}
