import { wrongOption } from "../errors/wrong-option.js";
import { type Check, count, nonNegative, oneOf, type Table } from "../options/read-options.js";
import { type Lengths, type Lifecycle, lengthUnits, namedLifecycles } from "./lifecycle.js";
import { nested } from "./read-mock-options.js";

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
