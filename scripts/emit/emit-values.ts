import { distinct, type JsonObject, sortedMembersOf } from "../openapi/json.js";
import { valuesOf } from "../openapi/keywords.js";
import { partsOf, propertiesOf, resolve } from "../openapi/walk.js";
import { listOperations } from "./emit-operations.js";
import { emitArguments } from "./emit-schema.js";

/**
 * The lists and defaults of `src/generated/values.ts`, from a normalised document. They have a file of their own
 * because the package's declarations name them, and must not import the schemas, which need zod.
 */
export function emitValues(document: JsonObject): string {
  const operations = listOperations(document);
  const [, createScreenshots] = operations;
  const names = operations.map(({ name }) => name);
  const defaults = operations.flatMap(({ name, body }) => {
    const values = defaultsOf(document, body);
    return Object.keys(values).length > 0 ? [[name, values] as const] : [];
  });
  const fields = operations.map(({ name, body }) => [name, fieldsOf(document, body)] as const);
  const list = (name: string, values: unknown[]) =>
    `export const ${name} = [${emitArguments(values)}] as const;\n`;
  return [
    "// Written by `npm run generate` from openapi.json. Do not edit.\n",
    "/** The devices that the document lists for a screenshot set. */",
    list("devices", listedValues(document, createScreenshots?.body, "device")),
    "/** The name of every operation of the document. */",
    list("operationNames", names),
    "/** The defaults that the document states for the fields of each request body. */",
    `export const defaults = ${JSON.stringify(Object.fromEntries(defaults), null, 2)} as const;\n`,
    "/** What the document says of the fields of each request body. */",
    `export const requestFields: Record<string, Record<string, ${fieldType}>> = ${JSON.stringify(Object.fromEntries(fields), null, 2)};\n`,
  ].join("\n");
}

/** The strings that a schema lists for one of its properties, in the document's order. */
function listedValues(document: JsonObject, schema: unknown, name: string): unknown[] {
  const values = fieldParts(document, schema, name).flatMap((part) => valuesOf(part) ?? []);
  return distinct(values.filter((value) => typeof value === "string"));
}

/** The defaults of a schema's properties, by name. */
function defaultsOf(document: JsonObject, schema: unknown): JsonObject {
  const stated = propertiesOf(document, schema).flatMap(([name, property]) => {
    const value = { ...resolve(document, property), ...Object(property) }.default;
    return value === undefined ? [] : [[name, value] as const];
  });
  // Where two parts of the schema state one, the first counts.
  return Object.fromEntries(sortedMembersOf(Object.fromEntries(stated.reverse())));
}

const fieldType =
  "{ values?: readonly unknown[]; minimum?: number; maximum?: number; maxLength?: number; default?: unknown }";

/** What a schema says of its properties, by name, for people to read: values, limits and defaults. */
function fieldsOf(document: JsonObject, schema: unknown): JsonObject {
  const defaults = defaultsOf(document, schema);
  const factsOf = (name: string) => {
    const values = listedValues(document, schema, name);
    const parts = fieldParts(document, schema, name);
    const limit = (keyword: string) =>
      parts.map((part) => part[keyword]).find((value) => typeof value === "number");
    return {
      values: values.length > 0 ? values : undefined,
      minimum: limit("minimum"),
      maximum: limit("maximum"),
      maxLength: limit("maxLength"),
      default: defaults[name],
    };
  };
  const names = distinct(propertiesOf(document, schema).map(([name]) => name)).sort();
  return Object.fromEntries(names.map((name) => [name, factsOf(name)]));
}

/** The schemas that one of a schema's properties is composed of. */
function fieldParts(document: JsonObject, schema: unknown, name: string): JsonObject[] {
  return propertiesOf(document, schema)
    .filter(([key]) => key === name)
    .flatMap(([, property]) => partsOf(document, property));
}
