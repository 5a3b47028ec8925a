import type { IncomingHttpHeaders } from "node:http";
import { Refusal } from "./refusal.js";

/** What is looked at of a request before anything else. */
export interface Arrival {
  method: string;
  path: string;
  /** The host that was asked for. */
  host: string | undefined;
  headers: IncomingHttpHeaders;
}

const octet = "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)";
/** A name that leads nowhere but to this machine: one that does not may be a foreign page's own, in the DNS. */
const loopback = new RegExp(
  `^(?:127(?:\\.${octet}){3}|\\[::1\\]|(?:[a-z0-9-]+\\.)*localhost)(?::\\d{1,5})?$`,
  "i",
);

/** @throws Refusal of what a foreign page may have sent, or may want to read */
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

/** A link to the page may stand anywhere. */
function isLink({ method, path, headers }: Arrival): boolean {
  const isRead = method === "GET" || method === "HEAD";
  const { "sec-fetch-mode": mode, "sec-fetch-dest": destination } = headers;
  return path === "/" && isRead && mode === "navigate" && destination === "document";
}

/** Whether a read is for a state that a reset has ended since, or that was another mock's. The page says which it shows. */
export function isOutdated({ headers }: Arrival, token: string, epoch: number): boolean {
  const asked = headers["x-mock-epoch"];
  return asked !== undefined && (asked !== String(epoch) || headers["x-mock-token"] !== token);
}

/** @throws Refusal of a change that comes from a browser and not from the page */
export function requireToken({ headers }: Arrival, token: string): void {
  const isBrowser = headers.origin !== undefined || headers["sec-fetch-site"] !== undefined;
  if (!isBrowser || headers["x-mock-token"] === token) return;
  const message = "A browser has to send the `token` of the state as `x-mock-token`. Please reload the page.";
  throw new Refusal(403, "missing_token", message);
}
