/**
 * Whether anyone could read the key: on a page, or in one of its workers, which have `importScripts`. Cloudflare's
 * workers of before 2024-03-04 have it too, but are servers. Servers that render pages may define `window` or `document`
 * without the other, or both as `undefined`. The simulated page of a test runner does not count.
 */
export function inBrowser(): boolean {
  const { window, document, importScripts } = globalThis as {
    window?: { document?: unknown };
    document?: unknown;
    importScripts?: unknown;
  };
  const isPage = window !== undefined && (document ?? window.document) !== undefined;
  const isWorker = typeof importScripts === "function" && !onCloudflare();
  return (isPage || isWorker) && !inTestRunner();
}

/** Whether the code runs on Cloudflare Workers. */
export function onCloudflare(): boolean {
  return globalThis.navigator?.userAgent === "Cloudflare-Workers";
}

/** jsdom and happy-dom name themselves in their user agents. If a test changed that, a global of theirs remains. */
function inTestRunner(): boolean {
  const { process, navigator, jsdom, happyDOM } = globalThis as {
    process?: { versions?: { node?: string } };
    navigator?: { userAgent?: string };
    jsdom?: unknown;
    happyDOM?: unknown;
  };
  if (!process?.versions?.node) return false;
  return /\b(jsdom|HappyDOM)\//.test(navigator?.userAgent ?? "") || Boolean(jsdom ?? happyDOM);
}
