import * as z from "zod";
import { escaped, isObject, type JsonObject, unescaped } from "../openapi/json.js";
import { label } from "../openapi/label.js";
import { bodySchema, jsonSchema, operationsIn } from "../openapi/operations.js";
import { expressionOf } from "../openapi/patterns.js";
import { lookUp, type Place, reachedFrom, visitValues } from "../openapi/walk.js";
import { malformed, pointerTo } from "./vet-values.js";

const number = z.number("a number");
const length = z.int("a length").min(0, "a length");
const bound = z.union([number, z.boolean()], "a number or a flag");

/** What bodies and parameters are checked for. Answers are not, so there it may be anything. */
const constraints = z
  .looseObject({
    ...{ pattern: z.string("a string"), uniqueItems: z.boolean("true or false") },
    ...{ minLength: length, maxLength: length, minItems: length, maxItems: length },
    ...{ minimum: number, maximum: number, exclusiveMinimum: bound, exclusiveMaximum: bound },
    multipleOf: number.gt(0, "a number above 0"),
  })
  .partial();

/**
 * Checks the constraints of what the SDK's methods send in a normalised document. Returns the fields whose patterns are not
 * surely JavaScript's, so that the service alone checks them.
 */
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
    const schemas: (readonly [pointer: string, schema: unknown])[] = [
      [`${own}/requestBody`, bodySchema(operation)],
      ...given.map(
        (one) => [`${own}/parameters/${escaped(String(one.name))}`, one.schema ?? jsonSchema(one)] as const,
      ),
    ];
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
