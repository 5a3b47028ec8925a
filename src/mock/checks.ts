import { unknownOption } from "../nearest-name.js";
import type { Lifecycle } from "./service/lifecycle.js";

/**
 * Options hold no other names than the known ones.
 *
 * @param taker who takes the options, for the message
 * @throws TypeError that names the option that is meant
 */
export function checkOptions(taker: string, options: object, known: object): void {
  const isObject = typeof options === "object" && options !== null && !Array.isArray(options);
  if (!isObject) throw new TypeError(`Expected the options of ${taker} to be an object`);
  const problem = unknownOption(taker, options, Object.keys(known));
  if (problem !== undefined) throw new TypeError(problem);
}

/** The base URL without a trailing slash. */
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

/** A number of credits, given under this name. */
export function checkCredits(name: string, credits: number): number {
  if (Number.isSafeInteger(credits) && credits >= 0) return credits;
  throw new RangeError(`Expected \`${name}\` to be a non-negative integer, got ${credits}`);
}

/** The number of a port; 0 stands for one that is free. */
export function checkPort(port: number): number {
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new RangeError(`Expected \`port\` to be an integer from 0 to 65535, got ${port}`);
}

/** Loopback only: the mock knows no real key and no secret, but nobody else is to spend a test's credits. */
export function checkHost(host: string): string {
  if (/^(127(\.\d{1,3}){3}|::1|(.+\.)?localhost)$/i.test(host)) return host;
  throw new TypeError(
    `Expected \`host\` to be a loopback address (127.0.0.0/8, ::1 or localhost), got ${host}`,
  );
}

/** The kind of a clock. */
export function checkClock(clock: "virtual" | "system"): "virtual" | "system" {
  if (clock === "virtual" || clock === "system") return clock;
  throw new TypeError('Expected `clock` to be "virtual" or "system"');
}

/** A copy of a lifecycle. */
export function checkLifecycle(lifecycle: Lifecycle): Lifecycle {
  if (lifecycle === "instant" || lifecycle === "manual") return lifecycle;
  const { queued, running, unit } = lifecycle ?? {};
  const isLength = (value: number) =>
    (unit === "polls" ? Number.isSafeInteger(value) : value < Infinity) && value >= 0;
  if ((unit === "polls" || unit === "ms") && isLength(queued) && isLength(running))
    return { queued, running, unit };
  throw new TypeError(
    'Expected `lifecycle` to be "instant", "manual" or { queued, running, unit: "polls" | "ms" } with numbers of 0 or more',
  );
}
