import { ConfigurationError, ScreenshotSets } from "screenshot-sets";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const options = { apiKey: "key", baseUrl: "https://example.com/api/v1" };

beforeEach(() => {
  vi.stubGlobal("window", { document: {} });
  vi.stubGlobal("document", {});
});
afterEach(() => {
  vi.unstubAllGlobals();
});

test.each([
  ["jsdom", "Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/26.1.0"],
  ["happy-dom", "Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) HappyDOM/20.0.0"],
])("the page that %s makes in Node is no browser", (_, userAgent) => {
  vi.stubGlobal("navigator", { userAgent });
  expect(() => new ScreenshotSets(options)).not.toThrow();
});

test.each(["jsdom", "happyDOM"])(
  "the page of a runner is known by its `%s`, whatever its user agent",
  (name) => {
    vi.stubGlobal("navigator", { userAgent: "Mozilla/5.0 (iPhone) Safari/604.1" });
    vi.stubGlobal(name, {});
    expect(() => new ScreenshotSets(options)).not.toThrow();
  },
);

test.each([
  ["a browser", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36"],
  ["a window of Electron that has Node", "Mozilla/5.0 (X11; Linux x86_64) Chrome/150.0.0.0 Electron/41.0.0"],
])("%s stays one", (_, userAgent) => {
  vi.stubGlobal("navigator", { userAgent });
  expect(() => new ScreenshotSets(options)).toThrow(ConfigurationError);
});

test.each([undefined, {}, { versions: {} }, { versions: { node: "" } }])(
  "a browser that calls itself jsdom stays one where `process` is %j",
  (process) => {
    vi.stubGlobal("navigator", { userAgent: "Mozilla/5.0 jsdom/26.1.0" });
    vi.stubGlobal("jsdom", {});
    vi.stubGlobal("process", process);
    expect(() => new ScreenshotSets(options)).toThrow(ConfigurationError);
  },
);
