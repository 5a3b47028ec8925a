import type { IncomingHttpHeaders } from "node:http";
import { isRead } from "../../is-read.js";
import { isLoopback } from "../../options/base-url.js";

/** The error with which the control API refuses a request. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** The refusal of an unknown id or path, which the message does not repeat. */
export function notFound(what: string): Refusal {
  return new Refusal(404, "not_found", `There is no such ${what}.`);
}

/** The refusal of a method. HEAD is allowed wherever GET is. */
export function methodRefusal(allowed: string[]): Refusal {
  const allow = (allowed.includes("GET") ? [...allowed, "HEAD"] : allowed).join(", ");
  return new Refusal(405, "method_not_allowed", `Allowed here: ${allow}.`, { allow });
}

/** The parts of a request that are checked before anything else. */
export interface Arrival {
  method: string;
  path: string;
  /** The requested host. */
  host: string | undefined;
  headers: IncomingHttpHeaders;
}

/**
 * @param allowedHosts further hosts, in lower case, without a port
 * @throws Refusal if a foreign page may have sent the request or may want to read the answer
 */
export function refuseForeign(arrival: Arrival, allowedHosts: readonly string[]): void {
  const { host = "", headers } = arrival;
  const url = `http://${host}`;
  // A user, a path, a query or a fragment is no part of a host.
  const name = URL.canParse(url) && !/[@/\\?#]/.test(host) ? new URL(url).hostname : "";
  // The DNS may resolve any other name, such as a foreign page's own, to this machine.
  if (!isLoopback(name) && !allowedHosts.includes(name)) {
    const message =
      "The mock's page answers only to names of this machine (127.0.0.1, localhost, [::1]) and to `allowedHosts`.";
    throw new Refusal(403, "forbidden_host", message);
  }
  const { origin } = headers;
  const isForeign = origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`;
  if (isForeign || !(isOwnSite(headers) || isLink(arrival))) {
    const message = "The mock's page answers no other page. Please open it in a tab of its own.";
    throw new Refusal(403, "forbidden_origin", message);
  }
}

function isOwnSite({ "sec-fetch-site": site }: IncomingHttpHeaders): boolean {
  return site === undefined || site === "same-origin" || site === "none";
}

/** Whether a browser follows a link to the page, which may be on any site. */
function isLink({ method, path, headers }: Arrival): boolean {
  const { "sec-fetch-mode": mode, "sec-fetch-dest": destination } = headers;
  return path === "/" && isRead(method) && mode === "navigate" && destination === "document";
}

/** @throws Refusal if a change comes from a browser but not from the page */
export function requireToken({ headers }: Arrival, token: string): void {
  if (!isBrowser(headers) || headers["x-mock-token"] === token) return;
  const message = "A browser has to send the `token` of the state as `x-mock-token`. Please reload the page.";
  throw new Refusal(403, "missing_token", message);
}

/** Whether a browser sent a request: Node's `fetch` has neither header. */
export function isBrowser({ origin, "sec-fetch-site": site }: IncomingHttpHeaders): boolean {
  return origin !== undefined || site !== undefined;
}
