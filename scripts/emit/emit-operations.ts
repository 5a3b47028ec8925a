import { sentPath } from "../openapi/canonical-paths.js";
import { isObject, type JsonObject } from "../openapi/json.js";
import { typesOf } from "../openapi/keywords.js";
import { knownOperations } from "../openapi/known-operations.js";
import {
  answerSchemas,
  bodySchema,
  type Direction,
  isIdempotencyKey,
  operationsIn,
  sentMediaType,
} from "../openapi/operations.js";
import { lookUp, partsOf, reachedFrom, resolve } from "../openapi/walk.js";
import { emitSchema, indented, type SchemaContext } from "./emit-schema.js";

/** What the generated code needs to know about an operation. */
export type Operation = ReturnType<typeof listOperations>[number];

/** The run-time table of `src/generated/operations.ts`, from a normalised document. */
export function emitOperations(document: JsonObject): string {
  const components = emitComponents(document);
  const constants: string[] = [];
  const table: string[] = [];
  for (const operation of listOperations(document)) {
    const code = emitOperation(operation, components.context);
    const isKnown = knownOperations.some(({ name }) => name === operation.name);
    if (isKnown) constants.push(`export const ${operation.name} = ${code} as const;\n`);
    table.push(isKnown ? operation.name : code);
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

/** The operations of a normalised document, the known ones first. */
export function listOperations(document: JsonObject) {
  const all = operationsIn(document).map(({ method, path, operation, parameters }) => ({
    name: String(operation.operationId ?? `${method.toUpperCase()} ${path}`),
    method: method.toUpperCase(),
    path,
    pathParameters: [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name),
    numericParameters: parameters
      .filter((parameter) => parameter.in === "path")
      .filter(({ schema }) => [resolve(document, schema).type].flat().some(isNumeric))
      .map(({ name }) => name),
    /** The path as it is sent, if callers know it in another form. */
    sentPath: operation[sentPath],
    /** The media type in which a JSON body is sent. */
    mediaType:
      operation.requestBody === undefined ? undefined : (operation[sentMediaType] ?? "application/json"),
    /** How lists and objects are written into the query, by parameter. */
    queryStyles: queryStylesOf(document, parameters),
    /** The header of the idempotency key, in lower case. */
    idempotencyHeader: parameters.find(isIdempotencyKey)?.name?.toString().toLowerCase(),
    body: bodySchema(operation),
    answers: answerSchemas(operation),
  }));
  const known = knownOperations.flatMap(({ name }) => all.filter((operation) => operation.name === name));
  return [...known, ...all.filter((operation) => !known.includes(operation))];
}

/** How the document writes the lists and objects of a query. A parameter with `content` is JSON. */
function queryStylesOf(document: JsonObject, parameters: JsonObject[]) {
  const styles = parameters.flatMap(({ in: place, name, schema, content, style = "form", ...parameter }) => {
    const types = partsOf(document, schema).flatMap(typesOf);
    const isComposed = isObject(content) || types.includes("array") || types.includes("object");
    if (place !== "query" || !isComposed) return [];
    const { explode = style === "form", allowReserved = false } = parameter;
    return [[name, isObject(content) ? { style: "json" } : { style, explode, allowReserved }]];
  });
  return styles.length > 0 ? Object.fromEntries(styles) : undefined;
}

const isNumeric = (type: unknown) => type === "integer" || type === "number";

function emitOperation(operation: Operation, context: (direction: Direction) => SchemaContext): string {
  const { body, answers, ...facts } = operation;
  // What `client.request` sends and receives is not checked.
  const isChecked = knownOperations.some(({ name }) => name === operation.name);
  const emit = (schema: unknown, direction: Direction) =>
    isChecked && schema !== undefined
      ? `lazy(() => ${indented(emitSchema(schema, context(direction)))})`
      : "undefined";
  return [
    "{",
    ...Object.entries(facts).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`),
    `  body: ${emit(body, "request")},`,
    `  answer: ${emit(answers[0], "answer")},`,
    "}",
  ].join("\n");
}

/**
 * Emits constants for the schemas that others refer to, each when it is first needed, once for each direction. The
 * constants are numbered, because the names in the document are not identifiers.
 */
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
