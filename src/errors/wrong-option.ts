import { typeName } from "../schema/type-name.js";
import { ConfigurationError } from "./base.js";

/** The error for a wrong option: what it should be and is. Repeats only numbers, since a text may be a secret. */
export function wrongOption(what: string, expected: string, value: unknown, advice = ""): ConfigurationError {
  return expectedOther(what, expected, typeof value === "number" ? value : typeName(value), advice);
}

/** Like `wrongOption`, for a value that is a secret even as a number. */
export function wrongSecret(what: string, expected: string, value: unknown, advice = ""): ConfigurationError {
  return expectedOther(what, expected, typeName(value), advice);
}

function expectedOther(what: string, expected: string, got: unknown, advice: string): ConfigurationError {
  return new ConfigurationError(`Expected ${what} to be ${expected}, got ${got}.${advice && ` ${advice}`}`);
}
