import { createScreenshots } from "../generated/operations.js";
import { defaultCount } from "../generated/values.js";
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
    const whole: Record<string, unknown> = { ...params };
    for (const name of names) {
      if (!Object.hasOwn(whole, name) && given[name] !== undefined) whole[name] = given[name];
    }
    if (given.count === undefined) whole.count = defaultCount;
    return whole as typeof params & { count: number };
  } catch {
    // Parameters that cannot be read are refused later, with all other invalid ones.
    return params as never;
  }
}
