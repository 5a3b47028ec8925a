import { ConfigurationError, ScreenshotSets } from "screenshot-sets";
import { expect, test, vi } from "vitest";
import { rejection } from "../helpers/rejection.js";

const options = { apiKey: "key", baseUrl: "https://example.com/api/v1" };
const page = { window: { document: {} }, document: {} };
const agent = (userAgent: string) => ({ navigator: { userAgent } });

/** A client where the platform has these globals. */
function clientWith(globals: object, more: object = {}) {
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  return new ScreenshotSets({ ...options, ...more });
}

const ofJsdom = { ...agent("Mozilla/5.0 jsdom/26.1.0"), jsdom: {} };
test.each<[where: string, globals: object]>([
  ["on a page", { window: { document: {} } }],
  ["in a worker of a page", { importScripts() {} }],
  ["in a browser", { ...page, ...agent("Mozilla/5.0 (X11; Linux x86_64) Chrome/150.0.0.0 Safari/537.36") }],
  ["in a window of Electron, which has Node", { ...page, ...agent("Chrome/150.0.0.0 Electron/41.0.0") }],
  ...[undefined, {}, { versions: {} }, { versions: { node: "" } }].map((process): [string, object] => [
    `in a browser that calls itself jsdom, where \`process\` is ${JSON.stringify(process)}`,
    { ...page, ...ofJsdom, process },
  ]),
])("a client is refused %s, unless it is allowed", (_, globals) => {
  const refused =
    /^Refused to run in a browser, where anyone can read the API key\. .*dangerouslyAllowBrowser/;
  expect(() => clientWith(globals)).toThrow(ConfigurationError);
  expect(() => clientWith(globals)).toThrow(refused);
  expect(() => clientWith(globals, { dangerouslyAllowBrowser: true })).not.toThrow();
});

const ofRunner = "Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko)";
const changed = agent("Mozilla/5.0 (iPhone) Safari/604.1");
test.each<[where: string, globals: object]>([
  ["a page that jsdom makes in Node", { ...page, ...agent(`${ofRunner} jsdom/26.1.0`) }],
  ["a page that happy-dom makes in Node", { ...page, ...agent(`${ofRunner} HappyDOM/20.0.0`) }],
  ["a page of jsdom whose user agent a test changed", { ...page, ...changed, jsdom: {} }],
  ["a page of happy-dom whose user agent a test changed", { ...page, ...changed, happyDOM: {} }],
  // Those of before 2024-03-04.
  ["a Cloudflare Worker with `importScripts`", { importScripts() {}, ...agent("Cloudflare-Workers") }],
  ["a server with a `window` alone", { window: {} }],
  ["a server with a `document` alone", { window: undefined, document: {} }],
])("%s is no browser", (_, globals) => {
  expect(() => clientWith(globals)).not.toThrow();
});

test("a page goes by its browser's name, which needs no leave of the service", async () => {
  const sent: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (_, init) => {
    sent.push(init?.headers);
    return new Response(null, { status: 404 });
  };
  await rejection(clientWith(page, { fetch, dangerouslyAllowBrowser: true }).jobs.get("1"));
  expect(sent).toEqual([{ accept: "application/json", authorization: "Bearer key" }]);
});
