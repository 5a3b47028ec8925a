import { ConfigurationError } from "../errors/errors.js";
import { wrongOption } from "../errors/wrong-option.js";

/** Headers that a caller may not set, with the reason. */
const reserved: readonly [names: RegExp, reason: string][] = [
  [/^(authorization|x-api-key)$/, "the client sends the key, which it takes as `apiKey`"],
  [/^(content-.*|transfer-encoding|trailer)$/, "the client makes the body and what describes it"],
  [/^(connection|expect|host|keep-alive|te|upgrade)$/, "it is the connection's"],
];

/**
 * The caller's own headers, by lower-case name. Messages never repeat a value, since it may be a secret.
 *
 * @throws {ConfigurationError} for headers that cannot be sent, or that the caller may not set
 */
export function checkedHeaders(headers: unknown): Record<string, string> {
  if (headers === undefined) return {};
  if (typeof headers !== "object" || headers === null || Symbol.iterator in headers) {
    const advice = headers instanceof Headers ? "Pass `Object.fromEntries(headers)`." : "";
    throw wrongOption("`headers`", "an object of names and values", headers, advice);
  }
  return Object.fromEntries(Object.entries(headers).map(checkedHeader));
}

function checkedHeader([given, value]: [string, unknown]): [string, string] {
  if (!/^[!#$%&'*+\-.^_`|~\w]+$/.test(given)) {
    throw new ConfigurationError(
      "Expected each name in `headers` to be one that HTTP allows: letters, digits and dashes.",
    );
  }
  const name = given.toLowerCase();
  const [, reason] = reserved.find(([names]) => names.test(name)) ?? [];
  if (reason) throw new ConfigurationError(`Refused \`${name}\` among \`headers\`: ${reason}.`);
  if (typeof value !== "string") throw wrongOption(`\`${name}\` among \`headers\``, "a string", value);
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return [name, value];
  const what = /[\r\n]/.test(value) ? "a line break" : "characters that no header can hold";
  throw new ConfigurationError(
    `Expected \`${name}\` among \`headers\` to be Latin text on one line, but it holds ${what}.`,
  );
}
