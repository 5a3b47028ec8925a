import { label } from "../classify/change.js";
import { parameterFacts } from "../emit/readme-facts.js";
import type { JsonObject } from "../openapi/json.js";
import { basePathOf, specifiedPath } from "../openapi/paths.js";
import { label as plainLabel } from "../refusal.js";
import { filesWithPath, filledGaps, type HandWritten } from "./hand-written.js";

/** A document as it was published, and what is made of it. */
interface Published {
  document: JsonObject;
  normalised: JsonObject;
  released: JsonObject;
}

/** What a document asks a person to write, by place. A line stays until that is written. */
export function leftByHand({ document, normalised, released }: Published, written: HandWritten): string[] {
  const names = [...parameterFacts(normalised).keys()];
  const flags = written.get("src/cli/create-params.ts") ?? "";
  const readme = written.get("README.md") ?? "";
  return [
    ...names
      .filter((name) => !flags.includes(`field: "${name}"`))
      .map((name) => `src/cli/create-params.ts: a flag for ${label(name)}`),
    ...names
      .filter((name) => readme.includes(`\n| ${plainLabel(name)} | |`))
      .map((name) => `README.md: what ${label(name)} is`),
    ...otherAddresses(basePathOf(document), basePathOf(released), written),
    ...filledGaps(normalised, written),
  ];
}

/** Where an earlier path of the service's address still stands. */
function otherAddresses(path: string, before: string, written: HandWritten): string[] {
  const ends = path === "" ? "has no path" : `ends in ${plainLabel(path)}`;
  const earlier = [...new Set([specifiedPath, before])].filter((one) => one !== path && one !== "");
  return earlier.flatMap((one) => {
    const files = filesWithPath(written, one);
    return files.length > 0
      ? [`${files.join(", ")}: the base URL ${ends}, and this has ${plainLabel(one)}`]
      : [];
  });
}
