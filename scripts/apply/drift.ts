import path from "node:path";
import type { Places } from "./places.js";
import type { Plan } from "./plan.js";
import { readText } from "./read-text.js";

/** One line for each file that is not what the document asks for; none when all are. */
export async function driftOf({ writes, removals }: Plan, { root }: Places): Promise<string[]> {
  const label = (file: string) => path.relative(root, file).split(path.sep).join("/");
  const changed = [...writes.keys()].map(async (file) =>
    (await readText(file)) === undefined
      ? `${label(file)} is missing`
      : `${label(file)} is not what openapi.json asks for`,
  );
  return [...(await Promise.all(changed)), ...removals.map((file) => `${label(file)} is left over`)];
}
