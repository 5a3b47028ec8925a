import * as z from "zod/mini";
import { adviceFor, typeName } from "./type-name.js";

/** One difference between a value and what the document requires. */
export interface Issue {
  /** The location as a dotted path (`credits.cost`); empty for the value itself. */
  path: string;
  /** What was expected there. Never repeats the value. */
  message: string;
}

/** An issue as a sentence without its full stop. */
export function issueText({ path, message }: Issue): string {
  return path ? `${path}: ${message}` : message;
}

/** A schema that is built when it is first used, so that importing the package builds none. */
export type Schema<Output = unknown> = () => z.core.$ZodType<Output>;

/** Delays `build` until the schema is first needed, and calls it once. */
export function lazy<Output>(build: () => z.core.$ZodType<Output>): Schema<Output> {
  let built: z.core.$ZodType<Output> | undefined;
  return () => (built ??= build());
}

/** Returns the value as parsed by the schema, or its issues, with the cause if the value could not be inspected. */
export function parse<Output>(
  schema: Schema<Output>,
  value: unknown,
): { ok: true; value: Output } | { ok: false; issues: Issue[]; cause?: unknown } {
  try {
    const { data, error } = z.safeParse(schema(), value, { reportInput: true });
    return error
      ? { ok: false, issues: error.issues.flatMap((issue) => flatten(issue, "")) }
      : { ok: true, value: data as Output };
  } catch (cause) {
    // An accessor threw, there were more issues than zod can handle on the stack, or a schema could not be built.
    return {
      ok: false,
      issues: [{ path: "", message: "Expected a value that can be looked through" }],
      cause,
    };
  }
}

/** As `parse`, for a value that a request is to hold: what JSON cannot have is an issue too, in any field. */
export function parseRequest<Output>(
  schema: Schema<Output>,
  value: unknown,
): ReturnType<typeof parse<Output>> {
  const parsed = parse(schema, value);
  if (!parsed.ok) return parsed;
  try {
    JSON.stringify(parsed.value);
    return parsed;
  } catch (cause) {
    return { ok: false, issues: [unsendable], cause };
  }
}

/** The issue of a value that no request can hold, such as a big integer or a circle. */
export const unsendable: Issue = { path: "", message: "Expected what a request can hold" };

/** The names of all fields of an object schema; undefined for another schema. */
export function fieldNames(schema: Schema): string[] | undefined {
  const { shape } = schema() as Partial<z.ZodMiniObject>;
  return shape && Object.keys(shape);
}

/** The schema of a field of an object schema. */
export function fieldOf(schema: Schema, name: string): Schema | undefined {
  const field = (schema() as Partial<z.ZodMiniObject>).shape?.[name];
  return field && (() => field);
}

/** Whether a value is an object with fields, not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function flatten(issue: z.core.$ZodIssue, parent: string): Issue[] {
  const path = [parent, ...issue.path.map(String)].filter(Boolean).join(".");
  const branch = issue.code === "invalid_union" ? nearestBranch(issue.errors) : undefined;
  return branch?.flatMap((inner) => flatten(inner, path)) ?? [{ path, message: describe(issue) }];
}

/** The issues of the alternative that was probably meant: the first that only has wrong fields, or else the first. */
function nearestBranch(branches: z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  const tried = branches.filter(({ length }) => length > 0);
  return tried.find((issues) => issues.every(({ path }) => path.length > 0)) ?? tried[0];
}

function expectedType(expected: string): string {
  if (expected === "null") return expected;
  const name = { nonoptional: "value", record: "object" }[expected] ?? expected;
  return `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`;
}

/** zod/mini ships no messages of its own; these name what was expected. */
function describe(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `Expected ${expectedType(issue.expected)}, got ${typeName(issue.input)}${adviceFor(issue.input, String(issue.path.at(-1)))}`;
    case "invalid_value":
      return `Expected ${issue.values
        .map((value) => JSON.stringify(value))
        .join(", ")
        .replace(/, ([^,]+)$/, " or $1")}`;
    case "too_big":
      return `Expected ${issue.inclusive ? "at most" : "less than"} ${issue.maximum}`;
    case "too_small":
      return `Expected ${issue.inclusive ? "at least" : "more than"} ${issue.minimum}`;
    case "not_multiple_of":
      return `Expected a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return `Expected no ${issue.keys.join(", ")}`;
    case "invalid_format":
      return `Expected a string of the form ${issue.pattern ?? issue.format}`;
    case "custom":
      return issue.message;
    default:
      return "Expected another value";
  }
}
