import { normalise } from "../normalise/normalise.js";
import type { JsonObject } from "../openapi/json.js";
import { emitOperations } from "./emit-operations.js";
import { emitTypes } from "./emit-types.js";
import { emitValues } from "./emit-values.js";

/** The modules that are generated from a vetted document, by file name. */
export async function generateFiles(document: JsonObject): Promise<Map<string, string>> {
  const normalised = normalise(document);
  return new Map([
    ["openapi.ts", await emitTypes(normalised)],
    ["operations.ts", emitOperations(normalised)],
    ["values.ts", emitValues(normalised)],
  ]);
}
