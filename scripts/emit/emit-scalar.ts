import type { JsonObject } from "../openapi/json.js";
import { patternFlags } from "../openapi/keywords.js";

/**
 * In a `request` every constraint is checked; in an `answer` only types and required fields are, so that values that
 * the service adds later still pass.
 */
export type Mode = "request" | "answer";

/** The code with a check for each value that is given, unless it is for answers. */
export function withChecks(code: string, mode: Mode, checks: [check: string, value: unknown][]): string {
  const present = mode === "request" ? checks.filter(([, value]) => value !== undefined) : [];
  const calls = present.map(([check, value]) => `${check}(${emitArguments([value])})`);
  return emitChecked(code, calls);
}

/** The code of a schema, with the code of its checks if it has any. */
export function emitChecked(code: string, checks: string[]): string {
  return checks.length > 0 ? `z.checked(${[code, ...checks].join(", ")})` : code;
}

/** Code for an integer; an answer is not held to its bounds. */
export function emitInteger(schema: JsonObject, mode: Mode): string {
  return withChecks(`z.integer(${mode === "request" ? integerBounds(schema) : ""})`, mode, [
    ["z.gt", schema.exclusiveMinimum],
    ["z.lt", schema.exclusiveMaximum],
    ["z.multipleOf", schema.multipleOf],
  ]);
}

function integerBounds({ minimum, maximum }: JsonObject): string {
  if (minimum === undefined && maximum === undefined) return "";
  return `${JSON.stringify(minimum) ?? "-Infinity"}, ${JSON.stringify(maximum) ?? "Infinity"}`;
}

/** Code for a number; an answer is not held to its bounds. */
export function emitNumber(schema: JsonObject, mode: Mode): string {
  return withChecks("z.number()", mode, [
    ["z.gte", schema.minimum],
    ["z.gt", schema.exclusiveMinimum],
    ["z.lte", schema.maximum],
    ["z.lt", schema.exclusiveMaximum],
    ["z.multipleOf", schema.multipleOf],
  ]);
}

/** Code for a string; an answer is held neither to its length nor to its values. */
export function emitText(schema: JsonObject, mode: Mode): string {
  const { minLength, maxLength, pattern } = schema;
  if (mode === "answer") return "z.string()";
  const isBounded = minLength !== undefined || maxLength !== undefined;
  const bounds = [minLength ?? 0, maxLength].filter((bound) => bound !== undefined);
  const text = isBounded ? `z.text(${emitArguments(bounds)})` : "z.string()";
  const regex = `z.regex(new RegExp(${emitArguments([pattern, patternFlags(pattern)])}))`;
  return emitChecked(text, pattern === undefined ? [] : [regex]);
}

/** JSON values as the arguments of a call, or as the items of a list. */
export function emitArguments(values: unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(", ");
}
