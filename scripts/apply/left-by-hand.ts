import { parameterFacts } from "../emit/readme-facts.js";
import type { JsonObject } from "../openapi/json.js";
import { label } from "../refusal.js";

/**
 * What a normalised document and the path of its base address ask a person to write, by place. A line stays until that is
 * written.
 */
export function leftByHand(
  document: JsonObject,
  basePath: string,
  texts: { flags: string; readme: string },
): string[] {
  const names = [...parameterFacts(document).keys()];
  return [
    ...names
      .filter((name) => !texts.flags.includes(`field: "${name}"`))
      .map((name) => `src/cli/create-params.ts: a flag for ${label(name)}`),
    ...names
      .filter((name) => texts.readme.includes(`\n| ${label(name)} | |`))
      .map((name) => `README.md: what ${label(name)} is`),
    ...(texts.readme.includes(basePath)
      ? []
      : [`README.md, src/options/options.ts and examples/docker: the base URL ends in ${label(basePath)}`]),
  ];
}
