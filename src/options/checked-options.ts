import { ConfigurationError } from "../errors/errors.js";
import { wrongOption } from "../errors/wrong-option.js";
import { unknownOption } from "../nearest-name.js";
import { typeName } from "../schema/type-name.js";

/**
 * Checks options and returns them. `null` counts as no options, since programs without types may pass it.
 *
 * @param taker the class or function that takes them
 * @param known the names of all its options
 * @throws {ConfigurationError} for a value that is not an object, and for an option that the taker does not have
 */
export function checkedOptions<Options extends object>(
  taker: string,
  options: Options | null | undefined,
  known: Record<keyof Options, true>,
): Partial<Options> {
  const given: unknown = options ?? {};
  if (typeName(given) !== "an object" || isAbortSignal(given)) {
    const example = typeof given === "number" && "timeoutMs" in known ? " such as `{ timeoutMs }`" : "";
    const expected = isAbortSignal(given) ? "an object such as `{ signal }`" : `an object${example}`;
    const advice = typeName(given) === "a Promise" ? "Await it first." : "";
    throw wrongOption(`the options of \`${taker}\``, expected, given, advice);
  }
  if ("clientOptions" in (given as object)) {
    throw new ConfigurationError(
      `Expected the options of \`${taker}\`, got a mock: pass \`mock.clientOptions\`.`,
    );
  }
  const unknown = unknownOption(`\`${taker}\``, given as object, Object.keys(known));
  if (unknown) throw new ConfigurationError(unknown);
  return withoutInherited(given as Partial<Options>, Object.keys(known));
}

/** The values without any inherited from a modified `Object.prototype`, which must not affect what is sent. */
export function withoutInherited<Values>(values: Values, names: readonly string[]): Values {
  const isInherited = Object(values) === values && names.some((name) => name in Object.prototype);
  return isInherited ? Object.assign(Object.create(null), values) : values;
}

/** Checks a signal, if there is one. Signals of other realms and of polyfills are allowed. */
export function checkedSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  if (signal === undefined || isAbortSignal(signal)) return signal;
  const advice = isAbortSignal((signal as { signal?: unknown } | null)?.signal) ? "Pass its `signal`." : "";
  throw wrongOption("`signal`", "an AbortSignal", signal, advice);
}

function isAbortSignal(value: unknown): boolean {
  const { throwIfAborted, addEventListener } = Object(value) as Partial<AbortSignal>;
  return typeof throwIfAborted === "function" && typeof addEventListener === "function";
}

/** Checks a number of milliseconds: neither negative nor NaN; `Infinity` means for ever. */
export function checkedMs(name: string, value: number): number {
  if (typeof value === "number" && value >= 0) return value;
  throw wrongOption(`\`${name}\``, "a number of milliseconds, 0 or more", value);
}

/** Checks a whole number that is not negative, or not below 1. */
export function checkedCount(name: string, value: number, least: 0 | 1 = 0): number {
  if (Number.isInteger(value) && value >= least) return value;
  throw wrongOption(`\`${name}\``, `a ${least === 0 ? "non-negative" : "positive"} integer`, value);
}

/** Checks a function, if there is one. */
export function checkedCallback<Callback>(name: string, value: Callback): Callback {
  if (value === undefined || typeof value === "function") return value;
  throw wrongOption(`\`${name}\``, "a function", value);
}
