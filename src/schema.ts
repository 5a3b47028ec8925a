import * as z from "zod/mini";

/** One way in which a value differs from what the document asks for. */
export interface Issue {
  /** Where, as a dotted path (`credits.cost`); empty for the value itself. */
  path: string;
  /** What was expected there. Never repeats the value. */
  message: string;
}

/** A schema that is built when it is first used, so that importing the package builds none. */
export type Schema<Output = unknown> = () => z.ZodMiniType<Output>;

/** Puts off building `schema` until it is first needed, and builds it once. */
export function lazy<Output>(build: () => z.ZodMiniType<Output>): Schema<Output> {
  let built: z.ZodMiniType<Output> | undefined;
  return () => (built ??= build());
}

/** A string whose length is counted in Unicode code points, as JSON Schema does. */
export function text(minLength: number, maxLength = Number.POSITIVE_INFINITY) {
  return z.string().check((payload) => {
    const length = codePoints(payload.value);
    if (length < minLength || length > maxLength) {
      payload.issues.push({
        code: "custom",
        input: payload.value,
        message:
          length > maxLength
            ? `Expected at most ${maxLength} characters, got ${length}`
            : `Expected at least ${minLength} character${minLength === 1 ? "" : "s"}, got ${length}`,
      });
    }
  });
}

/** A check on an object: at least one of the properties is there. Reported once, for the object as a whole. */
export function requireOneOf(...names: [string, ...string[]]) {
  const expected = [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" or ");
  const message = names.length === 2 ? `Expected ${names.join(", ")} or both` : `Expected ${expected}`;
  return (payload: z.core.ParsePayload<Record<string, unknown>>): void => {
    if (names.every((name) => payload.value[name] === undefined || payload.value[name] === null)) {
      payload.issues.push({ code: "custom", input: payload.value, message });
    }
  };
}

/** A check on a job: one that succeeded holds its result, though the document allows null there for the other states. */
export function requireResult(payload: z.core.ParsePayload<{ [key: string]: unknown }>): void {
  const { status, result } = payload.value;
  if (status === "succeeded" && (result === undefined || result === null)) {
    const message = "Expected the result of a job that succeeded";
    payload.issues.push({ code: "custom", input: payload.value, path: ["result"], message });
  }
}

/** The value as the schema gives it, or how it differs. */
export function parse<Output>(
  schema: Schema<Output>,
  value: unknown,
): { ok: true; value: Output } | { ok: false; issues: Issue[] } {
  const result = schema().safeParse(value);
  return result.success
    ? { ok: true, value: result.data }
    : { ok: false, issues: result.error.issues.flatMap((issue) => flatten(issue, "")) };
}

type RawIssue = z.core.$ZodIssue;

function flatten(issue: RawIssue, parent: string): Issue[] {
  const path = [parent, ...issue.path.map(String)].filter(Boolean).join(".");
  if (issue.code === "invalid_union" && issue.errors[0]?.length) {
    return issue.errors[0].flatMap((inner) => flatten(inner, path));
  }
  return [{ path, message: describe(issue) }];
}

/** What zod calls otherwise than people do. */
const expectedNames: Record<string, string> = { nonoptional: "a value", int: "an integer" };

/** zod/mini ships no messages of its own; these name what was expected. */
function describe(issue: RawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `Expected ${expectedNames[issue.expected] ?? issue.expected}`;
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
    default:
      return issue.message || "Expected another value";
  }
}

function codePoints(value: string): number {
  let length = value.length;
  for (let index = 0; index < value.length - 1; index++) {
    if ((value.codePointAt(index) as number) > 0xffff) {
      length--;
      index++;
    }
  }
  return length;
}
