import { astToString, type OpenAPI3, transformSchema } from "openapi-typescript";
import { normalise } from "../normalise/normalise.js";
import { withOptionalDefaults } from "../normalise/split-directions.js";
import { isObject, type JsonObject } from "../openapi/json.js";
import { notesAndRules } from "../openapi/keywords.js";
import { mapOperations } from "../openapi/operations.js";
import { basePathOf } from "../openapi/paths.js";
import { inline, lookUp, mapMembers, type Place, root } from "../openapi/walk.js";
import { visible } from "../refusal.js";
import { emitOperations } from "./emit-operations.js";
import { emitSamples } from "./emit-samples.js";
import { emitValues } from "./emit-values.js";
import type { Price } from "./price.js";

/** The generated modules, by file name. `cost`: what a set costs, where an earlier document may have stated it. */
export function generateFiles(document: JsonObject, cost?: Price): Map<string, string> {
  const normalised = withOptionalDefaults(normalise(document));
  const modules = {
    "openapi.ts": emitTypes(normalised),
    "operations.ts": emitOperations(normalised),
    "samples.ts": emitSamples(normalised),
    "values.ts": emitValues(normalised, basePathOf(document), cost),
  };
  return new Map(Object.entries(modules).map(([name, code]) => [name, visible(code)]));
}

type TypeContext = Parameters<typeof transformSchema>[1];

/** The types of `openapi.ts`, without openapi-typescript's own way in, which would follow every address. */
function emitTypes(document: JsonObject): string {
  // The names of operations would be keys of one interface, in which several can become the same.
  const unnamed = mapOperations(forTypes(document) as JsonObject, ({ operationId, ...operation }, known) =>
    known ? { ...operation, operationId } : operation,
  ) as OpenAPI3 & JsonObject;
  // Sorted, so that a reordered document gives the same bytes. All other options are off.
  const context: Partial<TypeContext> = {
    alphabetize: true,
    silent: true,
    injectFooter: [],
    discriminators: { objects: {}, refsHandled: [] },
    resolve: <Target>(reference: string) => lookUp(unnamed, reference) as Target | undefined,
  };
  const code = astToString(transformSchema(unnamed, context as TypeContext));
  return [
    "// Written by `npm run generate` from openapi.json. Do not edit.\n",
    "/** The service's operations by path, as its OpenAPI document describes them: the types of `client.request`. */",
    withPlainComments(code),
  ].join("\n");
}

/** Without what editors would show beside the text: a tag for each list of values, and further lines as code. */
function withPlainComments(code: string): string {
  return code
    .replace(/^ +(?:\*|\/\*\*) @enum .*\n/gm, "")
    .replace(/^( +\*) {5}/gm, "$1 ")
    .replace(/ +$/gm, "");
}

/**
 * The document in the form of which openapi-typescript makes what editors show: text of a summary, but a tag of a
 * description, and nothing of what a reference leads to.
 */
function forTypes(document: JsonObject): unknown {
  const copy = (value: unknown, place: Place): unknown => {
    const copied = mapMembers(value, place, copy);
    if (!isObject(copied) || (place.kind !== "object" && place.kind !== "schema")) return copied;
    const { title: _, summary: __, description: ___, ...others } = withWholeUnion(copied);
    const { title, summary, description } = inline(document, value);
    const text = [title, summary, description].filter((one) => typeof one === "string").join("\n\n");
    return text === "" ? others : { ...others, summary: text };
  };
  return copy(document, root);
}

/** Alternatives apart from what else their schema says, which openapi-typescript would take for one more. */
function withWholeUnion(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || !isObject(rest.properties)) return schema;
  const [notes, rules] = notesAndRules(rest);
  return { ...notes, allOf: [rules, { anyOf }] };
}
