import { typeName } from "../schema/type-name.js";
import { ConfigurationError } from "./errors.js";

/** Says what an option has to be, and what it is. Repeats numbers and nothing else: a text may be a secret. */
export function wrongOption(what: string, expected: string, value: unknown, advice = ""): ConfigurationError {
  const got = typeof value === "number" ? value : typeName(value);
  return new ConfigurationError(`Expected ${what} to be ${expected}, got ${got}.${advice && ` ${advice}`}`);
}
