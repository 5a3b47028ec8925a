import type { IncomingHttpHeaders } from "node:http";
import { Refusal } from "./refusal.js";

/** The parts of a request that are checked before anything else. */
export interface Arrival {
  method: string;
  path: string;
  /** The requested host. */
  host: string | undefined;
  headers: IncomingHttpHeaders;
}

const octet = "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)";
/** Matches hosts that are always this machine. The DNS may resolve other names, such as a foreign page's own, to it. */
const loopback = new RegExp(
  `^(?:127(?:\\.${octet}){3}|\\[::1\\]|(?:[a-z0-9_-]+\\.)*localhost)(?::\\d{1,5})?$`,
  "i",
);

/** @throws Refusal if a foreign page may have sent the request or may want to read the answer */
export function refuseForeign(arrival: Arrival): void {
  const { host, headers } = arrival;
  if (host === undefined || !loopback.test(host)) {
    const message = "The mock's page answers only to names of this machine: 127.0.0.1, localhost and [::1].";
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
  const isRead = method === "GET" || method === "HEAD";
  const { "sec-fetch-mode": mode, "sec-fetch-dest": destination } = headers;
  return path === "/" && isRead && mode === "navigate" && destination === "document";
}

/** Whether a read refers to a state from before a reset, or of another mock. The page sends which state it shows. */
export function isOutdated({ headers }: Arrival, token: string, epoch: number): boolean {
  const asked = headers["x-mock-epoch"];
  return asked !== undefined && (asked !== String(epoch) || headers["x-mock-token"] !== token);
}

/** @throws Refusal if a change comes from a browser but not from the page */
export function requireToken({ headers }: Arrival, token: string): void {
  const isBrowser = headers.origin !== undefined || headers["sec-fetch-site"] !== undefined;
  if (!isBrowser || headers["x-mock-token"] === token) return;
  const message = "A browser has to send the `token` of the state as `x-mock-token`. Please reload the page.";
  throw new Refusal(403, "missing_token", message);
}
