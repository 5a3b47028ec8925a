import { ConfigurationError } from "../errors/base.js";
import { wrongOption } from "../errors/wrong-option.js";
import { typeName } from "../schema/type-name.js";
import { unknownName } from "../text/nearest-name.js";
import { longestTimerMs } from "../time/clock.js";

/** Checks one option, which is `undefined` if it was not given, and fills in its default. */
// biome-ignore lint/suspicious/noExplicitAny: what programs without types pass is checked here
export type Check<Value = unknown> = (given: any, name: string, all: any) => Value;

/** The one list of the options that something takes: their names, defaults and checks. */
export type Table<Options> = { readonly [Name in keyof Options]-?: Check };

/** The options of a table after their checks. */
export type Checked<Checks> = {
  [Name in keyof Checks]: Checks[Name] extends Check<infer Value> ? Value : never;
};

/** Makes an error from a message about a wrong value. */
export type Refusal = (message: string, value: unknown) => Error;

/**
 * Checks options by their table. `null` counts as no options, since programs without types may pass it.
 *
 * @param taker the class or function that takes them
 * @param refusal for takers whose errors are not a `ConfigurationError`
 * @throws {ConfigurationError} for a value that is not an object, an unknown option, and a wrong value
 */
export function readOptions<Checks extends Record<string, Check>>(
  taker: string,
  options: object | null | undefined,
  table: Checks,
  refusal?: Refusal,
): Checked<Checks> {
  function refusing<Result>(value: unknown, read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      throw refusal && error instanceof ConfigurationError ? refusal(error.message, value) : error;
    }
  }
  const names = Object.keys(table);
  const given = refusing(options, () => namedOptions(taker, options, names)) as Record<string, unknown>;
  const checked = Object.entries(table).map(([name, check]) => [
    name,
    refusing(given[name], () => check(given[name], name, given)),
  ]);
  return Object.fromEntries(checked) as Checked<Checks>;
}

/**
 * Checks only that options are an object, and that their names are known.
 *
 * @throws {ConfigurationError} if they are not
 */
export function namedOptions(taker: string, options: object | null | undefined, names: string[]): object {
  const given: unknown = options ?? {};
  if (typeName(given) !== "an object" || isAbortSignal(given)) {
    const example =
      typeof given === "number" && names.includes("timeoutMs") ? " such as `{ timeoutMs }`" : "";
    const expected = isAbortSignal(given) ? "an object such as `{ signal }`" : `an object${example}`;
    const advice = typeName(given) === "a Promise" ? "Await it first." : "";
    throw wrongOption(`the options of \`${taker}\``, expected, given, advice);
  }
  if ("clientOptions" in (given as object)) {
    throw new ConfigurationError(
      `Expected the options of \`${taker}\`, got a mock: pass \`mock.clientOptions\`.`,
    );
  }
  const unknown = unknownName(`\`${taker}\``, given as object, names);
  if (unknown) throw new ConfigurationError(unknown);
  return given as object;
}

/** The same check for an option without a default. */
export const optional =
  <Value>(check: Check<Value>): Check<Value | undefined> =>
  (given, name, all) =>
    given === undefined ? undefined : check(given, name, all);

/** A number of milliseconds: not negative, and not longer than a timer; `Infinity` means for ever. */
export const milliseconds =
  (usual?: number) =>
  (given: number | undefined, name: string): number => {
    const value = given === undefined ? usual : given;
    if (
      typeof value === "number" &&
      value >= 0 &&
      (value <= longestTimerMs || value === Number.POSITIVE_INFINITY)
    ) {
      return value;
    }
    const expected =
      Number(value) > longestTimerMs
        ? `at most ${longestTimerMs} milliseconds, or Infinity`
        : "a number of milliseconds, 0 or more";
    throw wrongOption(`\`${name}\``, expected, value);
  };

/** A whole number that is not below `least`, nor above `most` where that is given. */
export const count =
  (usual?: number, least = 0, most = Number.POSITIVE_INFINITY) =>
  (given: number | undefined, name: string): number => {
    const value = given === undefined ? usual : given;
    if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) {
      return value as number;
    }
    const sign = least === 0 ? "a non-negative integer" : "a positive integer";
    const expected = most < Number.POSITIVE_INFINITY ? `an integer from ${least} to ${most}` : sign;
    throw wrongOption(`\`${name}\``, expected, value);
  };

/** A number that is not negative. */
export const nonNegative = (given: number, name: string): number => {
  if (Number.isFinite(given) && given >= 0) return given;
  throw wrongOption(`\`${name}\``, "a number of 0 or more", given);
};

/** One of these texts. */
export const oneOf =
  <const Value extends string>(values: readonly Value[], usual?: Value) =>
  (given: Value | undefined, name: string): Value => {
    const value = given === undefined ? usual : given;
    if (values.includes(value as Value)) return value as Value;
    const listed = values.map((one) => `"${one}"`).join(", ");
    throw wrongOption(`\`${name}\``, listed.replace(/, ([^,]+)$/, " or $1"), value);
  };

/** A function, if there is one. */
export const callback =
  <Callback>() =>
  (given: Callback | undefined, name: string): Callback | undefined => {
    if (given === undefined || typeof given === "function") return given;
    throw wrongOption(`\`${name}\``, "a function", given);
  };

/** `true` or `false`. */
export const flag = (given: boolean | undefined, name: string): boolean => {
  if (given === undefined || typeof given === "boolean") return given === true;
  throw wrongOption(`\`${name}\``, "true or false", given);
};

/** A signal, if there is one. It may come from another realm. */
export function abortSignal(given: AbortSignal | undefined): AbortSignal | undefined {
  if (given === undefined || isAbortSignal(given)) return given;
  const holder = isAbortSignal((given as { signal?: unknown } | null)?.signal) ? "Pass its `signal`." : "";
  throw wrongOption("`signal`", "an AbortSignal", given, holder);
}

function isAbortSignal(value: unknown): boolean {
  const { aborted, addEventListener } = Object(value) as Partial<AbortSignal>;
  return typeof aborted === "boolean" && typeof addEventListener === "function";
}
