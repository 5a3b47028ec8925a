import { byCodePoint, type JsonObject } from "../openapi/json.js";
import { knownOperations } from "../openapi/known-operations.js";
import {
  answerSchemas,
  bodySchema,
  type Direction,
  isIdempotencyKey,
  operationsIn,
} from "../openapi/operations.js";
import { lookUp, reachedFrom, resolve } from "../openapi/walk.js";
import { emitArguments, emitChecked, emitSchema, indented, type SchemaContext } from "./emit-schema.js";

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
    /** The header of the required idempotency key, in lower case. */
    idempotencyHeader: parameters.find(isIdempotencyKey)?.name?.toString().toLowerCase(),
    /** The numeric path parameters. */
    numbers: parameters
      .filter((parameter) => parameter.in === "path")
      .filter(({ schema }) => [resolve(document, schema).type].flat().some(isNumeric))
      .map(({ name }) => String(name)),
    body: bodySchema(operation),
    answers: answerSchemas(operation),
  }));
  const known = knownOperations.flatMap(({ name }) => all.filter((operation) => operation.name === name));
  return [...known, ...all.filter((operation) => !known.includes(operation))];
}

const isNumeric = (type: unknown) => type === "integer" || type === "number";

/** The SDK's own checks on answers, by operation. An empty id would be useless in later requests. */
const answerChecks = new Map([
  ["createApp", ['z.requireText("appId")']],
  ["createScreenshots", ['z.requireText("jobId")']],
  ["getJob", ["z.requireResult"]],
]);

function emitOperation(operation: Operation, context: (direction: Direction) => SchemaContext): string {
  const names = [...operation.path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name);
  const { numbers, idempotencyHeader, body, answers } = operation;
  const answer = answers.length > 1 ? { anyOf: answers } : answers[0];
  const emit = (schema: unknown, direction: Direction, checks: string[] = []) =>
    schema === undefined
      ? "undefined"
      : `lazy(() => ${emitChecked(indented(emitSchema(schema, context(direction))), checks)})`;
  return [
    "{",
    `  name: ${JSON.stringify(operation.name)},`,
    `  method: ${JSON.stringify(operation.method)},`,
    `  path: ${JSON.stringify(operation.path)},`,
    `  pathParameters: [${emitArguments(names)}],`,
    `  numericParameters: [${emitArguments(numbers)}],`,
    `  idempotencyHeader: ${JSON.stringify(idempotencyHeader)},`,
    `  body: ${emit(body, "request")},`,
    `  answer: ${emit(answer, "answer", answerChecks.get(operation.name))},`,
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
  return { context, declarations: () => [...declared].sort(byCodePoint) };
}
