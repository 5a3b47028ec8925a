import { readFile } from "node:fs/promises";
import path from "node:path";
import { typeFlags } from "../emit/emit-types.js";
import { canonicalJson } from "../openapi/json.js";

/** The packages whose version decides what is generated, and how changes are rated. */
const tools = ["@redocly/cli", "openapi-typescript", "typescript"];

/** What is recorded of the tools beside what they made, so that a run with others shows. */
export async function toolsText(root: string): Promise<string> {
  const versions = await Promise.all(
    tools.map(async (name) => {
      const manifest = await readFile(path.join(root, "node_modules", name, "package.json"), "utf8");
      return [name, (JSON.parse(manifest) as { version: string }).version] as const;
    }),
  );
  const record = { flags: { "openapi-typescript": typeFlags }, versions: Object.fromEntries(versions) };
  return `${canonicalJson(record)}\n`;
}
