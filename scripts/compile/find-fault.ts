import * as z from "zod";
import { plain } from "../classify/change.js";
import { listOperations } from "../emit/emit-operations.js";
import { documentedAnswers, needed } from "../normalise/plain-answers.js";
import { escaped, isObject, type JsonObject, membersOf } from "../openapi/json.js";
import { typesOf } from "../openapi/keywords.js";
import { type KnownOperation, knownOperations } from "../openapi/known-operations.js";
import { expressionOf } from "../openapi/patterns.js";
import { lookUp, type Place, partsOf, propertyOf, reachedFrom, visitValues } from "../openapi/walk.js";
import { malformed, pointerTo } from "../vet/vet-values.js";

/**
 * A field of the documented answers that the SDK needs, but that a normalised document lacks or gives another type, in
 * words; undefined if there is none.
 */
export function faultOf(document: JsonObject): string | undefined {
  const [fault] = listOperations(document)
    .slice(0, knownOperations.length)
    .flatMap(({ name, answers }) => {
      const { fields } = documentedAnswers[name as KnownOperation["name"]];
      return faultsIn(document, answers[0], fields, "").map((fault) => `the answer of ${name} ${fault}`);
    });
  return fault;
}

const number = z.number("a number");
const length = z.int("a length").min(0, "a length");
const bound = z.union([number, z.boolean()], "a number or a flag");

/** What bodies are checked for. Answers are not, so there it may be anything. */
const constraints = z
  .looseObject({
    ...{ pattern: z.string("a string"), uniqueItems: z.boolean("true or false") },
    ...{ minLength: length, maxLength: length, minItems: length, maxItems: length },
    ...{ minimum: number, maximum: number, exclusiveMinimum: bound, exclusiveMaximum: bound },
    multipleOf: number.gt(0, "a number above 0"),
  })
  .partial();

/**
 * Checks the constraints of the SDK's own bodies. Returns the places of patterns that are not surely JavaScript's, so that
 * the service alone checks them.
 */
export function vetBodies(document: JsonObject): string[] {
  const unchecked: string[] = [];
  const lookIn =
    (call: string) =>
    (value: unknown, { kind, pointer }: Place) => {
      if (kind !== "schema" || !isObject(value)) return;
      const issue = constraints.safeParse(value).error?.issues[0];
      if (issue) throw malformed(pointerTo(issue.path, pointer), issue.message);
      if (value.pattern === undefined || expressionOf(value.pattern)) return;
      const fields = pointer
        .split("/properties/")
        .slice(1)
        .map((part) => part.split("/")[0]);
      unchecked.push(
        `\`${call}\` request \`${[...fields, "pattern"].map((name) => plain(String(name))).join(" ")}\``,
      );
    };
  for (const { path, method, body } of listOperations(document).slice(0, knownOperations.length)) {
    const look = lookIn(`${method} ${path}`);
    const pointer = `#/paths/${escaped(path)}/${method.toLowerCase()}/requestBody`;
    visitValues(body, { kind: "schema", pointer }, look);
    for (const reference of reachedFrom(document, body)) {
      visitValues(lookUp(document, reference), { kind: "schema", pointer: reference }, look);
    }
  }
  return unchecked;
}

function faultsIn(document: JsonObject, schema: unknown, documented: JsonObject, path: string): string[] {
  return membersOf(documented.properties).flatMap(([name, field]) => {
    if (!needed.includes(name)) return [];
    const where = `${path}${name}`;
    const property = propertyOf(document, schema, name);
    if (property === undefined) return [`leaves out \`${where}\``];
    const { type } = field as JsonObject;
    const others = partsOf(document, property).flatMap((part) =>
      typesOf(part).filter((one) => one !== type && one !== "null"),
    );
    if (others.length > 0) return [`has \`${where}\` as ${others.join(" or ")}, not as ${type}`];
    return faultsIn(document, property, field as JsonObject, `${where}.`);
  });
}
