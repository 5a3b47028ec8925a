import type { JsonObject } from "../openapi/json.js";
import { hasOnly } from "../openapi/keywords.js";
import { type Direction, jsonSchema } from "../openapi/operations.js";
import { inline, lookUp, reachedFrom } from "../openapi/walk.js";
import { emitSchema, indented, type SchemaContext } from "./emit-schema.js";
import { type OperationFacts, operationFacts } from "./operation-facts.js";

/** The run-time table of `src/generated/operations.ts`, from a normalised document. */
export function emitOperations(document: JsonObject): string {
  const components = emitComponents(document);
  const constants: string[] = [];
  const table: string[] = [];
  for (const operation of operationFacts(document)) {
    const code = emitOperation(document, operation, components.context);
    const { known } = operation;
    if (known) constants.push(`export const ${known.name} = ${code} as const;\n`);
    table.push(known?.name ?? code);
  }
  const code = [
    ...components.declarations(),
    ...constants,
    `/** Every operation of the document. */\nexport const operations = [${table.join(", ")}] as const;\n`,
  ].join("\n");
  return [
    "// Written by `npm run generate` from openapi.json. Do not edit.",
    'import * as z from "../schema/kinds.js";',
    `import { lazy${code.includes(": Schema<") ? ", type Schema" : ""} } from "../schema/parse.js";\n`,
    code,
  ].join("\n");
}

function emitOperation(
  document: JsonObject,
  { body, answers, known, isDeprecated: _, parameters, ...facts }: OperationFacts,
  context: (direction: Direction) => SchemaContext,
): string {
  // What `client.request` sends and receives is not checked.
  const emit = (schema: unknown, direction: Direction) =>
    known && schema !== undefined
      ? `lazy(() => ${indented(emitSchema(schema, context(direction)))})`
      : "undefined";
  return [
    "{",
    ...Object.entries(facts).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`),
    `  inPath: ${emit(inPlace(document, parameters, "path"), "request")},`,
    `  inQuery: ${emit(inPlace(document, parameters, "query"), "request")},`,
    `  body: ${emit(body, "request")},`,
    `  answer: ${emit(answers[0], "answer")},`,
    `  needed: ${JSON.stringify(known?.needed ?? [])},`,
    "}",
  ].join("\n");
}

/** The parameters of the path or of the query as one object; undefined if none has to be checked. */
function inPlace(document: JsonObject, parameters: JsonObject[], place: "path" | "query"): unknown {
  const own = parameters.filter((one) => one.in === place);
  const properties = own.map((one) => [String(one.name), one.schema ?? jsonSchema(one) ?? {}] as const);
  // Whatever stands in a path is a text that is not empty.
  const isFree = ([, schema]: (typeof properties)[number]) => {
    const { type, minLength = 0, ...rest } = inline(document, schema);
    return place === "path" && type === "string" && Number(minLength) < 2 && hasOnly(rest);
  };
  if (properties.every(isFree)) return undefined;
  const required = own.filter((one) => one.required === true).map(({ name }) => name);
  return { type: "object", properties: Object.fromEntries(properties), required };
}

/** Numbered constants for the schemas that others refer to, each made when it is first needed, once a direction. */
function emitComponents(document: JsonObject) {
  const names = new Map<string, string>();
  const declared: string[] = [];
  const context = (direction: Direction): SchemaContext => ({
    direction,
    reference(reference) {
      const target = lookUp(document, reference);
      const isRecursive = reachedFrom(document, target).has(reference);
      const key = `${direction} ${reference}`;
      if (!names.has(key)) {
        const name = `${direction}Component${names.size + 1}`;
        names.set(key, name);
        // TypeScript cannot infer a type that refers to itself.
        const type = isRecursive ? ": Schema<any>" : "";
        const code = emitSchema(target, context(direction));
        declared.push(`const ${name}${type} = lazy(() => ${code});\n`);
      }
      const name = names.get(key);
      return isRecursive ? `z.lazy(${name})` : `${name}()`;
    },
  });
  return { context, declarations: () => declared.sort() };
}
