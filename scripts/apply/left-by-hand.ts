import { parameterFacts } from "../emit/readme-facts.js";
import type { JsonObject } from "../openapi/json.js";
import { basePathOf } from "../openapi/paths.js";
import { label } from "../refusal.js";

/**
 * What a document asks a person to write, by place. A line stays until that is written.
 *
 * @param document as it is published
 * @param normalised the same in its plain form
 */
export function leftByHand(
  [document, normalised]: [JsonObject, JsonObject],
  texts: { flags: string; readme: string },
): string[] {
  const names = [...parameterFacts(normalised).keys()];
  const basePath = basePathOf(document);
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
