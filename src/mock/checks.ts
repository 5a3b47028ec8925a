import { unknownOption } from "../nearest-name.js";
import { typeName } from "../schema/type-name.js";
import type { Lifecycle } from "./service/lifecycle.js";

/**
 * Checks that options are an object with known names only.
 *
 * @param taker the name of what takes the options, for the message
 * @throws TypeError if they are not; for an unknown name, it suggests the option that was probably meant
 */
export function checkOptions(taker: string, options: object, known: object): void {
  const given = typeName(options);
  if (given !== "an object")
    throw new TypeError(`Expected the options of ${taker} to be an object, got ${given}`);
  const problem = unknownOption(taker, options, Object.keys(known));
  if (problem !== undefined) throw new TypeError(problem);
}

/** Checks a base URL and returns it without a trailing slash. */
export function checkBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const isBase =
    url && /^https?:$/.test(url.protocol) && !(url.username || url.password || url.search || url.hash);
  if (!isBase) {
    throw new TypeError(
      "Expected `baseUrl` to be an http or https URL without user information, query or fragment",
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/** @throws RangeError if the value is not an integer within these bounds */
export function checkInteger(name: string, value: number, least = 0, most = Number.MAX_SAFE_INTEGER): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  const range = most < Number.MAX_SAFE_INTEGER ? `from ${least} to ${most}` : `of ${least} or more`;
  throw new RangeError(`Expected \`${name}\` to be an integer ${range}, got ${value}`);
}

/** @throws TypeError if the value is neither true nor false, for example "no" */
export function checkFlag(name: string, value: boolean): boolean {
  if (typeof value === "boolean") return value;
  throw new TypeError(`Expected \`${name}\` to be true or false, got ${typeName(value)}`);
}

/**
 * Checks the headers of a fault. They are checked when the fault is armed, because the request that meets it belongs to
 * other code. A `Headers` object is refused because its entries are not properties.
 *
 * @throws TypeError if the headers cannot be sent
 */
export function checkHeaders(headers: Record<string, string>): void {
  const given = typeName(headers);
  if (given !== "an object")
    throw new TypeError(`Expected \`headers\` to be an object of texts, got ${given}`);
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      throw new TypeError(`Expected no header named ${JSON.stringify(name)}`);
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new TypeError(`Expected the header ${name} to be one line of Latin letters`);
    }
  }
}

/** Checks the host to listen on. Node would take an empty one, such as an unset variable's, for all addresses. */
export function checkHost(host: string): string {
  if (typeof host === "string" && host !== "") return host;
  throw new TypeError(
    'Expected `host` to be an address or a name of this machine, such as "0.0.0.0" for all',
  );
}

/** Checks names of hosts and returns them in lower case. */
export function checkHostNames(names: readonly string[]): readonly string[] {
  if (!Array.isArray(names)) throw new TypeError("Expected `allowedHosts` to be an array of host names");
  return names.map((name) => {
    if (/^([\w.-]+|\[[\da-f:]+\])$/i.test(name)) return name.toLowerCase();
    throw new TypeError(
      `Expected \`allowedHosts\` to be host names without a port, got ${JSON.stringify(name)}`,
    );
  });
}

/** Checks what is put before ids, which stand in paths. */
export function checkIdPrefix(prefix: string): string {
  if (typeof prefix === "string" && /^[\w.:~-]*$/.test(prefix)) return prefix;
  throw new TypeError("Expected `idPrefix` to be letters, digits and any of `_ . : ~ -`");
}

/** Checks the kind of a clock. */
export function checkClock(clock: "virtual" | "system"): "virtual" | "system" {
  if (clock === "virtual" || clock === "system") return clock;
  throw new TypeError('Expected `clock` to be "virtual" or "system"');
}

/** Checks a lifecycle and returns a copy of it. */
export function checkLifecycle(lifecycle: Lifecycle): Lifecycle {
  if (lifecycle === "instant" || lifecycle === "manual" || lifecycle === "recorded") return lifecycle;
  const { queued, running, unit } = lifecycle ?? {};
  const isLength = (value: number) =>
    (unit === "polls" ? Number.isSafeInteger(value) : Number.isFinite(value)) && value >= 0;
  if ((unit === "polls" || unit === "ms") && isLength(queued) && isLength(running)) {
    checkOptions("`lifecycle`", lifecycle, { queued: 0, running: 0, unit: 0 });
    return { queued, running, unit };
  }
  throw new TypeError(
    'Expected `lifecycle` to be "instant", "manual" or { queued, running, unit: "polls" | "ms" } with numbers of 0 or more',
  );
}
