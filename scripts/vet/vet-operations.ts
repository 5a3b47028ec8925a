import * as z from "zod";
import { escaped, isObject, type JsonObject, membersOf, unescaped } from "../openapi/json.js";
import { typesOf } from "../openapi/keywords.js";
import { type KnownOperation, knownOperations, neverNull } from "../openapi/known-operations.js";
import {
  answerSchemas,
  bodySchema,
  isIdempotencyKey,
  isOwnHeader,
  jsonSchema,
  operationsIn,
} from "../openapi/operations.js";
import type { FurtherOperation } from "../openapi/paths.js";
import { expressionOf } from "../openapi/patterns.js";
import { lookUp, type Place, partsOf, propertyOf, reachedFrom, visitValues } from "../openapi/walk.js";
import { label, quoted, Refusal } from "../refusal.js";
import { malformed, pointerTo } from "./vet-document.js";

/** Checks that the operations with SDK methods exist and have what these need. `further`: the document's others. */
export function vetOperations(document: JsonObject, further: FurtherOperation[]): void {
  const present = operationsIn(document);
  for (const known of knownOperations) {
    const { name, method, path } = known;
    const label = `${name} (${method.toUpperCase()} ${path})`;
    const found = present.find((other) => other.known === known);
    if (!found) {
      const others = [...present, ...further].filter((other) => other.method === method);
      const paths = others.map((other) => other.path).sort();
      const has =
        paths.length > 0 ? `has ${quoted(paths.join(" "))}` : `has no other ${method.toUpperCase()}`;
      throw new Refusal("missing-operation", `it lacks ${label}, but ${has}`);
    }
    vetParameters(found.parameters, known, label);
    if (known.takesBody && bodySchema(found.operation) === undefined) {
      throw new Refusal("missing-body", `${label} takes no JSON body`);
    }
    if (known.needed.length > 0 && answerSchemas(found.operation).length === 0) {
      throw new Refusal("missing-answer", `${label} has no 2xx answer with a JSON body`);
    }
  }
}

/** No parameter may be required that a method does not take. */
function vetParameters(parameters: JsonObject[], { takesQuery }: KnownOperation, label: string): void {
  for (const parameter of parameters) {
    const { in: place, name, required } = parameter;
    const isGiven = place === "path" || (place === "query" && takesQuery);
    if (required !== true || isGiven || isOwnHeader(parameter) || isIdempotencyKey(parameter)) continue;
    const named = `the ${place} parameter ${quoted(String(name))}`;
    throw new Refusal("required-parameter", `${label} requires ${named}, which the SDK cannot give`);
  }
}

/** Refuses an answer of the SDK's operations that lacks a field that the SDK works with, or gives it another type. */
export function vetAnswers(document: JsonObject): void {
  for (const { known, operation } of operationsIn(document)) {
    const [fault] = faultsIn(document, answerSchemas(operation)[0], known?.answer.fields ?? {}, "");
    if (known && fault !== undefined)
      throw new Refusal("does-not-compile", `the answer of ${known.name} ${fault}`);
  }
}

function faultsIn(document: JsonObject, schema: unknown, documented: JsonObject, path: string): string[] {
  return membersOf(documented.properties).flatMap(([name, field]) => {
    if (!neverNull.includes(name)) return [];
    const where = `${path}${name}`;
    const property = propertyOf(document, schema, name);
    if (property === undefined) return [`leaves out \`${where}\``];
    const { type } = field as JsonObject;
    const others = partsOf(document, property).flatMap((part) =>
      typesOf(part).filter((one) => one !== type && one !== "null"),
    );
    if (others.length > 0) {
      const rule = /id$/i.test(name) ? ": an id is text" : "";
      return [`has \`${where}\` as ${others.join(" or ")}, not as ${type}${rule}`];
    }
    return faultsIn(document, property, field as JsonObject, `${where}.`);
  });
}

const number = z.number("a number");
const length = z.int("a length").min(0, "a length");
const bound = z.union([number, z.boolean()], "a number or a flag");

/** What bodies and parameters are checked for. Answers are not, so there it may be anything. */
const constraints = z
  .looseObject({
    pattern: z.string("a string"),
    uniqueItems: z.boolean("true or false"),
    minLength: length,
    maxLength: length,
    minItems: length,
    maxItems: length,
    minimum: number,
    maximum: number,
    exclusiveMinimum: bound,
    exclusiveMaximum: bound,
    multipleOf: number.gt(0, "a number above 0"),
  })
  .partial();

/** Checks the constraints of what methods send, and returns the fields whose patterns only the service can check. */
export function vetConstraints(document: JsonObject): Set<string> {
  const unchecked = new Set<string>();
  for (const { known, method, path, operation, parameters } of operationsIn(document)) {
    if (!known) continue;
    const look = (value: unknown, { kind, pointer }: Place) => {
      if (kind !== "schema" || !isObject(value)) return;
      const issue = constraints.safeParse(value).error?.issues[0];
      if (issue) throw malformed(pointerTo(issue.path, pointer), issue.message);
      if (value.pattern === undefined || expressionOf(value.pattern)) return;
      unchecked.add(`${label(fieldAt(pointer))} of \`${known.call}\``);
    };
    const own = `#/paths/${escaped(path)}/${method}`;
    const given = parameters.filter((one) => one.in === "path" || one.in === "query");
    const schemas = new Map([[`${own}/requestBody`, bodySchema(operation)]]);
    for (const one of given) {
      schemas.set(`${own}/parameters/${escaped(String(one.name))}`, one.schema ?? jsonSchema(one));
    }
    for (const [pointer, schema] of schemas) {
      visitValues(schema, { kind: "schema", pointer }, look);
      for (const reference of reachedFrom(document, schema)) {
        visitValues(lookUp(document, reference), { kind: "schema", pointer: reference }, look);
      }
    }
  }
  return unchecked;
}

/** The dotted path of the field at a pointer, or the component's name. */
function fieldAt(pointer: string): string {
  const names = pointer.split(/\/(?:properties|parameters)\//).slice(1);
  const parts = names.length > 0 ? names : [pointer.slice(pointer.lastIndexOf("/") + 1)];
  return parts.map((part) => unescaped(part.split("/")[0] ?? "")).join(".");
}
