import { type JsonObject, valuesOf } from "../openapi/json.js";
import { quoted, Refusal } from "../refusal.js";
import type { Mode } from "./schema-context.js";

/** A keyword, its value in the schema, and the check that stands for it. */
type Check = [keyword: string, value: unknown, check: string];

/** The code with a check for each keyword that the schema has; answers are not checked. */
export function withChecks(code: string, mode: Mode, checks: Check[]): string {
  const present = mode === "request" ? checks.filter(([, value]) => value !== undefined) : [];
  const calls = present.map(([keyword, value, check]) => {
    return `${check}(${numberOf(keyword, value)})`;
  });
  return emitChecked(code, calls);
}

/** The code of a schema with the code of checks that it gets. */
export function emitChecked(code: string, checks: string[]): string {
  return checks.length > 0 ? `z.checked(${[code, ...checks].join(", ")})` : code;
}

export function emitNumber(type: "integer" | "number", schema: JsonObject, mode: Mode): string {
  const { minimum, maximum } = type === "integer" ? {} : schema;
  return withChecks(type === "integer" ? emitInteger(schema, mode) : "z.number()", mode, [
    ["minimum", minimum, "z.gte"],
    ["exclusiveMinimum", schema.exclusiveMinimum, "z.gt"],
    ["maximum", maximum, "z.lte"],
    ["exclusiveMaximum", schema.exclusiveMaximum, "z.lt"],
    ["multipleOf", schema.multipleOf, "z.multipleOf"],
  ]);
}

function emitInteger({ minimum = -Infinity, maximum = Infinity }: JsonObject, mode: Mode): string {
  if (mode === "answer") return "z.integer()";
  const bounds = [numberOf("minimum", minimum), numberOf("maximum", maximum)];
  return `z.integer(${bounds.every((bound) => !Number.isFinite(bound)) ? "" : bounds.join(", ")})`;
}

function numberOf(keyword: string, value: unknown): number {
  if (typeof value !== "number") throw malformed(`${keyword} is not a number`);
  return value;
}

export function emitText(schema: JsonObject, mode: Mode): string {
  const { minLength, maxLength, pattern } = schema;
  if (mode === "answer") {
    const example = valuesOf(schema)?.find((value) => typeof value === "string");
    return `z.string(${example === undefined ? "" : JSON.stringify(example)})`;
  }
  const bounds = [minLength, maxLength].some((bound) => bound !== undefined)
    ? `z.text(${[lengthOf("minLength", minLength, 0), ...(maxLength === undefined ? [] : [lengthOf("maxLength", maxLength, 0)])].join(", ")})`
    : "z.string()";
  return emitChecked(bounds, typeof pattern === "string" ? [`z.regex(${emitPattern(pattern)})`] : []);
}

function lengthOf(keyword: string, value: unknown, absent: number): number {
  if (value !== undefined && !(Number.isInteger(value) && Number(value) >= 0)) {
    throw malformed(`${keyword} is not a length`);
  }
  return value === undefined ? absent : Number(value);
}

/** JSON Schema's patterns are Unicode ones; those that only work without the flag go without it. */
function emitPattern(pattern: string): string {
  for (const flags of ["u", ""]) {
    try {
      new RegExp(pattern, flags);
      return `new RegExp(${JSON.stringify(pattern)}, ${JSON.stringify(flags)})`;
    } catch {
      // The next flags may do.
    }
  }
  throw malformed(`the pattern ${quoted(pattern)} is no regular expression`);
}

function malformed(reason: string): Refusal {
  return new Refusal("malformed", `Failed to read the document: ${reason}. Please correct it.`);
}
