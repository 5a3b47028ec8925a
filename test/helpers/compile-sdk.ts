import { fileURLToPath } from "node:url";
import { typeCheck } from "../../scripts/compile/type-check.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The compiler's error for the SDK and its mock with these generated modules; empty if they compile. */
export function compileSdk(modules: Map<string, string>): string[] {
  try {
    typeCheck(root, modules);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
