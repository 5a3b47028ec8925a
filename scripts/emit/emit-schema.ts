import { distinct, isObject, itemsOf, type JsonObject, sortedMembersOf } from "../openapi/json.js";
import { hasOnly, isOfType, typesOf, valuesOf } from "../openapi/keywords.js";
import type { Direction } from "../openapi/operations.js";
import { expressionOf } from "../openapi/patterns.js";
import { referenceOf } from "../openapi/walk.js";

/** The context of a schema. */
export interface SchemaContext {
  /** Of an `answer`, only types and required fields are checked, so that later additions pass. */
  direction: Direction;
  /** Code for the schema that a reference points at. */
  reference(reference: string): string;
}

/** Emits a JSON Schema as code for a zod schema. Every string of the document is emitted as a JSON literal. */
export function emitSchema(schema: unknown, context: SchemaContext): string {
  if (schema === false) return "z.never()";
  if (!isObject(schema)) return "z.unknown()";
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  const parts = [
    ...(referenceOf(schema) ? [context.reference(String($ref))] : []),
    ...itemsOf(allOf).map((part) => emitSchema(part, context)),
    ...(Array.isArray(anyOf) ? [emitUnion(anyOf, "union", context)] : []),
    ...(Array.isArray(oneOf) ? [emitUnion(oneOf, "xor", context)] : []),
  ];
  if (!hasOnly(own) || parts.length === 0) parts.unshift(emitOwn(own, context));
  return parts.reduce((left, right) => `z.intersection(${left}, ${right})`);
}

function emitUnion(branches: unknown[], kind: "union" | "xor", context: SchemaContext): string {
  const rule = kind === "union" ? atLeastOneOf(branches) : undefined;
  if (rule && context.direction === "request") {
    const check = `z.requireOneOf(${emitArguments(rule.names)})`;
    return emitChecked(emitSchema(rule.base, context), [check]);
  }
  const others = branches.filter((branch) => !isObject(branch) || branch.type !== "null");
  const codes = distinct(others.map((branch) => emitSchema(branch, context)));
  // The rule that only one branch may match is a constraint, and answers are not checked for constraints.
  const name = context.direction === "request" ? kind : "union";
  const union = codes.length > 1 ? `z.${name}([${codes.join(", ")}])` : (codes[0] ?? "z.never()");
  return others.length < branches.length ? `z.nullable(${union})` : union;
}

/** For alternatives that differ only in one required property each: their common object, and these properties. */
function atLeastOneOf(branches: unknown[]): { base: JsonObject; names: string[] } | undefined {
  const objects = branches.filter(isObject);
  const bases = objects.map(({ required: _, ...base }) => JSON.stringify(base));
  const lists = objects.map(({ required }) => itemsOf(required));
  const shared = itemsOf(lists[0]).filter((name) => lists.every((list) => list.includes(name)));
  const own = lists.map((list) => list.filter((name) => !shared.includes(name)));
  const areAlike = objects.length === branches.length && distinct(bases).length === 1;
  // A branch that requires no property of its own also accepts what the others accept.
  if (!areAlike || branches.length < 2 || own.some((list) => list.length !== 1)) return undefined;
  return { base: { ...objects[0], required: shared }, names: own.flat().map(String) };
}

function emitOwn(schema: JsonObject, context: SchemaContext): string {
  const values = context.direction === "request" ? valuesOf(schema) : undefined;
  const types = typesOf(schema);
  if (values?.every((value) => value === null || typeof value !== "object")) {
    const allowed = values.filter((value) => types.some((type) => isOfType(value, type)));
    return allowed.length > 0 ? `z.literal([${emitArguments(allowed)}])` : "z.never()";
  }
  const others = types.filter((type) => type !== "null");
  const codes = others.map((type) => emitters[type]?.(schema, context) ?? "z.unknown()");
  if (types.length === 0) return "z.unknown()";
  const union = codes.length > 1 ? `z.union([${codes.join(", ")}])` : codes[0];
  if (others.length === types.length) return `${union}`;
  return union ? `z.nullable(${union})` : "z.null()";
}

/** Code for one type of a schema. */
const emitters: Record<string, (schema: JsonObject, context: SchemaContext) => string> = {
  string: emitText,
  integer: emitInteger,
  number: emitNumber,
  boolean: () => "z.boolean()",
  array: emitArray,
  object: emitObject,
};

function emitArray(schema: JsonObject, context: SchemaContext): string {
  const item = emitSchema(schema.items, context);
  const first = itemsOf(schema.prefixItems).map((part) => emitSchema(part, context));
  // JSON Schema lets a tuple end early, so its parts do not say which items are present.
  const array = first.length > 0 ? "z.array(z.unknown())" : `z.array(${item})`;
  const checked = withChecks(array, schema, context, ["minItems", "maxItems"]);
  const isSet = schema.uniqueItems === true && context.direction === "request";
  return emitChecked(checked, isSet ? ["z.requireDistinct"] : []);
}

/** Code for an object. Unknown keys are kept unless a request's schema forbids them. */
function emitObject(schema: JsonObject, context: SchemaContext): string {
  const shape = emitShape(schema, context);
  const extra = schema.additionalProperties;
  // Patterns are not checked, so any key might match one of them.
  if (extra === false && !schema.patternProperties && context.direction === "request") {
    return `z.strictObject(${shape})`;
  }
  const isDescribed = isObject(extra) && Object.keys(extra).length > 0;
  // A key that the document does not name may be a later addition of the service.
  if (!isDescribed || context.direction === "answer") return `z.looseObject(${shape})`;
  const others = emitSchema(extra, context);
  return shape === "{}" ? `z.record(z.string(), ${others})` : `z.catchall(z.object(${shape}), ${others})`;
}

function emitShape(schema: JsonObject, context: SchemaContext): string {
  const required = itemsOf(schema.required).map(String);
  const members = sortedMembersOf(schema.properties).map(([name, property]) => {
    const code = emitSchema(property, context);
    return `${JSON.stringify(name)}: ${required.includes(name) ? code : `z.optional(${code})`}`;
  });
  return members.length > 0 ? `{\n${members.map((member) => `  ${indented(member)},`).join("\n")}\n}` : "{}";
}

/** Indents code by one more step. No literal spans lines, so only code moves. */
export const indented = (code: string): string => code.replaceAll("\n", "\n  ");

/** The checks of constraints, by keyword. */
const checks = {
  minItems: "z.minLength",
  maxItems: "z.maxLength",
  minimum: "z.gte",
  maximum: "z.lte",
  exclusiveMinimum: "z.gt",
  exclusiveMaximum: "z.lt",
  multipleOf: "z.multipleOf",
};

/** Adds a check for each of these keywords that the schema has, but not for answers. */
function withChecks(
  code: string,
  schema: JsonObject,
  { direction }: SchemaContext,
  keywords: (keyof typeof checks)[],
): string {
  const present = direction === "request" ? keywords.filter((keyword) => schema[keyword] !== undefined) : [];
  return emitChecked(
    code,
    present.map((keyword) => `${checks[keyword]}(${emitArguments([schema[keyword]])})`),
  );
}

/** The code of a schema, with the code of its checks if it has any. */
function emitChecked(code: string, checks: string[]): string {
  return checks.length > 0 ? `z.checked(${[code, ...checks].join(", ")})` : code;
}

/** Code for an integer; an answer is not held to its bounds. */
function emitInteger(schema: JsonObject, context: SchemaContext): string {
  const { minimum = -Infinity, maximum = Infinity } = schema;
  const isBounded = context.direction === "request" && (Number.isFinite(minimum) || Number.isFinite(maximum));
  const code = `z.integer(${isBounded ? `${minimum}, ${maximum}` : ""})`;
  return withChecks(code, schema, context, ["exclusiveMinimum", "exclusiveMaximum", "multipleOf"]);
}

/** Code for a number; an answer is not held to its bounds. */
function emitNumber(schema: JsonObject, context: SchemaContext): string {
  const keywords = ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"] as const;
  return withChecks("z.number()", schema, context, [...keywords]);
}

/** Code for a string; an answer is held neither to its length nor to its values. */
function emitText(schema: JsonObject, { direction }: SchemaContext): string {
  const { minLength, maxLength, pattern } = schema;
  if (direction === "answer") return "z.string()";
  const bounds = maxLength === undefined ? [minLength] : [minLength ?? 0, maxLength];
  const text = bounds[0] === undefined ? "z.string()" : `z.text(${emitArguments(bounds)})`;
  const expression = expressionOf(pattern);
  const { source, flags } = expression ?? {};
  return emitChecked(text, expression ? [`z.regex(new RegExp(${emitArguments([source, flags])}))`] : []);
}

/** JSON values as the arguments of a call, or as the items of a list. */
export const emitArguments = (values: unknown[]) => values.map((value) => JSON.stringify(value)).join(", ");
