import { Refusal } from "../refusal.js";

/** Where a document comes from. */
export type Source = { file: string } | { url: URL; headers: Record<string, string> };

/** Hosts that are this machine, so that plain HTTP to them crosses no network. */
const loopback = /^(?:127(?:\.\d+){3}|\[::1\]|(?:.+\.)?localhost)$/;

/**
 * What `--from` means: a file, the URL of a document, or the service's base URL (one that ends in `/api/v1`, or a bare
 * host), below which the document is published (sections 1 and 4.4 of the service's specification).
 *
 * @throws Refusal when nothing may be requested from the URL.
 */
export function sourceOf(from: string, environment: NodeJS.ProcessEnv): Source {
  if (!/^[a-z][a-z\d+.-]+:\/\//i.test(from)) return { file: from };
  if (!URL.canParse(from)) throw badUrl();
  const url = new URL(from);
  if (url.username || url.password || url.hash || !/^https?:$/.test(url.protocol)) throw badUrl();
  if (url.protocol === "http:" && !loopback.test(url.hostname)) {
    throw new Refusal("insecure-url", "anybody on the way could change what comes over plain HTTP");
  }
  const isBaseUrl = /^\/*$|\/api\/v\d+\/*$/.test(url.pathname);
  if (isBaseUrl) url.pathname = `${url.pathname.replace(/\/+$/, "")}/public/openapi.json`;
  return { url, headers: keyHeader(url, isBaseUrl, environment) };
}

/** The URL may hold a secret, so it is not repeated. */
function badUrl(): Refusal {
  return new Refusal("bad-url", "it is not a URL without user information and fragment");
}

/**
 * The key is sent only to its own service: the one that the environment names or, if it names none, a base URL. A
 * document could be published anywhere, so the URL of a document alone never gets the key.
 */
function keyHeader(url: URL, isBaseUrl: boolean, environment: NodeJS.ProcessEnv): Record<string, string> {
  const { SCREENSHOT_SETS_API_KEY: key, SCREENSHOT_SETS_BASE_URL: baseUrl } = environment;
  const isOfService = (base: string) => URL.canParse(base) && new URL(base).origin === url.origin;
  const mayGetKey = baseUrl ? isOfService(baseUrl) : isBaseUrl;
  if (!key || !mayGetKey) return {};
  if (/[^\x21-\x7e]/.test(key)) throw new Refusal("bad-key", "it holds characters other than visible ASCII");
  return { authorization: `Bearer ${key}` };
}
