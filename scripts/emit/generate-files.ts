import { astToString, type OpenAPI3, transformSchema } from "openapi-typescript";
import { normalise } from "../normalise/normalise.js";
import { withOptionalDefaults } from "../normalise/split-directions.js";
import { isObject, type JsonObject } from "../openapi/json.js";
import { notesAndRules } from "../openapi/keywords.js";
import { mapOperations } from "../openapi/operations.js";
import { lookUp, mapMembers, type Place, root } from "../openapi/walk.js";
import { visible } from "../refusal.js";
import { emitOperations } from "./emit-operations.js";
import { emitSamples } from "./emit-samples.js";
import { emitValues } from "./emit-values.js";
import { priceBefore, statedPrice } from "./price.js";

/**
 * The modules that are generated from a vetted document, by file name. Where the document states no price, that of the
 * generated module `valuesBefore` stays.
 */
export function generateFiles(document: JsonObject, valuesBefore?: string): Map<string, string> {
  const normalised = withOptionalDefaults(normalise(document));
  const modules = {
    "openapi.ts": emitTypes(normalised),
    "operations.ts": emitOperations(normalised),
    "samples.ts": emitSamples(normalised),
    "values.ts": emitValues(normalised, statedPrice(normalised) ?? priceBefore(valuesBefore)),
  };
  return new Map(Object.entries(modules).map(([name, code]) => [name, visible(code)]));
}

type TypeContext = Parameters<typeof transformSchema>[1];

/**
 * The types of `src/generated/openapi.ts`, from a normalised document. openapi-typescript's own way in would lint the
 * document and follow each reference and address first, which a vetted document does not need.
 */
function emitTypes(document: JsonObject): string {
  // The names of operations would be keys of one interface, in which several can become the same.
  const unnamed = mapOperations(
    withWholeUnions(document, root) as JsonObject,
    ({ operationId, ...operation }, known) => (known ? { ...operation, operationId } : operation),
  ) as OpenAPI3 & JsonObject;
  // Sorted, so that a reordered document gives the same bytes. All other options are off.
  const context: Partial<TypeContext> = {
    ...{ alphabetize: true, silent: true, injectFooter: [] },
    discriminators: { objects: {}, refsHandled: [] },
    resolve: <Target>(reference: string) => lookUp(unnamed, reference) as Target | undefined,
  };
  const nodes = transformSchema(unnamed, context as TypeContext);
  return `// Written by \`npm run generate\` from openapi.json. Do not edit.\n${astToString(nodes)}`;
}

/**
 * A copy in which alternatives stand apart from what else their schema says. openapi-typescript would take that for one
 * more alternative.
 */
function withWholeUnions(value: unknown, place: Place): unknown {
  const copied = mapMembers(value, place, withWholeUnions);
  if (place.kind !== "schema" || !isObject(copied) || !Array.isArray(copied.anyOf)) return copied;
  const { anyOf, ...rest } = copied;
  if (!isObject(rest.properties)) return copied;
  const [notes, rules] = notesAndRules(rest);
  return { ...notes, allOf: [rules, { anyOf }] };
}
