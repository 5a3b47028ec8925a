import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import type { JsonObject } from "../openapi/json.js";
import { quoted, Refusal } from "../refusal.js";

/**
 * How the type generator is run. Alphabetical, so that a reordered document gives the same bytes; and a default does
 * not make a field mandatory in requests.
 */
export const typeFlags = { alphabetize: true, defaultNonNullable: false };

/** The types of `src/generated/openapi.ts`, from a normalised document. */
export async function emitTypes(document: JsonObject): Promise<string> {
  const nodes = await openapiTS(structuredClone(document) as unknown as OpenAPI3, {
    ...typeFlags,
    silent: true,
  }).catch((error: Error) => {
    const [reason] = error.message.split("\n");
    throw new Refusal(
      "malformed",
      `Failed to make types: ${quoted(reason ?? "")}. Please correct the document.`,
    );
  });
  return `// Written by \`npm run generate\` from openapi.json. Do not edit.\n${astToString(nodes)}`;
}
