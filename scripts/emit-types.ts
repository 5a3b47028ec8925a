import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import type { JsonObject } from "./json.js";

/** The types of `src/generated/openapi.ts`, from a normalised document. */
export async function emitTypes(document: JsonObject): Promise<string> {
  // Alphabetical, so that a reordered document gives the same bytes. A default does not make a field
  // mandatory in requests.
  const nodes = await openapiTS(structuredClone(document) as unknown as OpenAPI3, {
    alphabetize: true,
    defaultNonNullable: false,
    silent: true,
  }).catch((error: Error) => {
    const [reason] = error.message.split("\n");
    throw new Error(`Failed to make types: ${reason}. Please correct the document.`);
  });
  return `// Written by \`npm run generate\` from openapi.json. Do not edit.\n${astToString(nodes)}`;
}
