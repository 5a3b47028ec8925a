import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import { normalise } from "../normalise/normalise.js";
import { withOptionalDefaults } from "../normalise/split-directions.js";
import { isObject, type JsonObject } from "../openapi/json.js";
import { mapOperations } from "../openapi/operations.js";
import { mapMembers, type Place, root } from "../openapi/walk.js";
import { quoted, Refusal, visible } from "../refusal.js";
import { emitOperations } from "./emit-operations.js";
import { emitSamples } from "./emit-samples.js";
import { emitValues } from "./emit-values.js";
import { priceBefore, statedPrice } from "./price.js";

/**
 * The modules that are generated from a vetted document, by file name. Where the document states no price, that of the
 * generated module `valuesBefore` stays.
 */
export async function generateFiles(
  document: JsonObject,
  valuesBefore?: string,
): Promise<Map<string, string>> {
  const normalised = withOptionalDefaults(normalise(document));
  const modules = {
    "openapi.ts": await emitTypes(normalised),
    "operations.ts": emitOperations(normalised),
    "samples.ts": emitSamples(normalised),
    "values.ts": emitValues(normalised, statedPrice(normalised) ?? priceBefore(valuesBefore)),
  };
  return new Map(Object.entries(modules).map(([name, code]) => [name, visible(code)]));
}

/** A copy without the addresses in examples and other data, which the type generator would follow. */
function withoutAddresses(value: unknown, place: Place): unknown {
  const { $ref: _, externalValue: __, ...others } = isObject(value) ? value : {};
  return mapMembers(place.kind === "data" && isObject(value) ? others : value, place, withoutAddresses);
}

/** The types of `src/generated/openapi.ts`, from a normalised document. */
export async function emitTypes(document: JsonObject): Promise<string> {
  // The names of operations would be keys of one interface, in which several can become the same.
  const unnamed = mapOperations(document, ({ operationId, ...operation }, known) =>
    known ? { ...operation, operationId } : operation,
  );
  const copy = structuredClone(withoutAddresses(unnamed, root)) as OpenAPI3;
  // Sorted, so that a reordered document gives the same bytes. A default makes no field mandatory in requests.
  const options = { alphabetize: true, defaultNonNullable: false, silent: true };
  const nodes = await openapiTS(copy, options).catch((error: Error) => {
    const [reason = ""] = error.message.split("\n");
    throw new Refusal("malformed", `no types can be made of it (${quoted(reason)})`);
  });
  return `// Written by \`npm run generate\` from openapi.json. Do not edit.\n${astToString(nodes)}`;
}
