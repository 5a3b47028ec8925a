import { wrongOption } from "../errors/wrong-option.js";
import {
  type Check,
  type Checked,
  count,
  nonNegative,
  oneOf,
  readOptions,
  type Table,
} from "../options/read-options.js";
import { type Lengths, type Lifecycle, lengthUnits, namedLifecycles } from "./lifecycle.js";

/** The mock's errors are the language's own: a number in place of another one is out of range. */
const refusal = (message: string, value: unknown): Error =>
  typeof value === "number" && /\b(number|integer)\b/.test(message)
    ? new RangeError(message)
    : new TypeError(message);

/**
 * Checks options of the mock by their table.
 *
 * @throws TypeError for an unknown option and a wrong value, or RangeError if that is a number
 */
export function readMockOptions<Checks extends Record<string, Check>>(
  taker: string,
  options: object | null | undefined,
  table: Checks,
): Checked<Checks> {
  return readOptions(taker, options, table, refusal);
}

/** The same for a single value. */
export function checkedValue<Value>(name: string, value: unknown, check: Check<Value>): Value {
  return readMockOptions(name, { [name]: value }, { [name]: check })[name] as Value;
}

/** An option that is checked where it is used. */
export const unchecked =
  <Value>(): Check<Value | undefined> =>
  (given) =>
    given;

/** An option that has options of its own. Messages name them after it, as in `undocumented.appCost`. */
export const nested =
  <Checks extends Record<string, Check>>(table: Checks): Check<Checked<Checks>> =>
  (given, name) => {
    const named = Object.entries(table).map(([own, check]): [string, Check] => [
      own,
      (value, _, all) => check(value, `${name}.${own}`, all),
    ]);
    return readMockOptions(name, given, Object.fromEntries(named) as Checks);
  };

const length: Check<number> = (given, name, { unit }) =>
  (unit === "polls" ? count() : nonNegative)(given, name);

const lengths = nested({
  unit: oneOf(lengthUnits),
  queued: length,
  running: length,
} satisfies Table<Lengths>);

/** A lifecycle; a copy of one with lengths. */
export const lifecycle: Check<Lifecycle> = (given, name, all) => {
  if (namedLifecycles.includes(given)) return given;
  if (typeof given === "object" && given !== null) return lengths(given, name, all);
  const named = namedLifecycles.map((one) => `"${one}"`).join(", ");
  throw wrongOption(`\`${name}\``, `${named} or \`{ queued, running, unit }\``, given);
};
