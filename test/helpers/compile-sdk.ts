import { fileURLToPath } from "node:url";
import { typeCheck } from "../../scripts/compile/type-check.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What the compiler says of the SDK and its mock when these are the generated modules; nothing when all is well. */
export function compileSdk(modules: Map<string, string>): string[] {
  try {
    typeCheck(root, modules);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
