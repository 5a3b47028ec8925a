import { ConfigurationError, ScreenshotSets } from "screenshot-sets";
import { expect, test } from "vitest";
import { nearestName } from "../src/nearest-name.js";

const good = { apiKey: "sk_live_0123456789", baseUrl: "https://example.com/api/v1" };

test.each([
  ["baseURL", "baseUrl"],
  ["base_url", "baseUrl"],
  ["url", "baseUrl"],
  ["timeout", "timeoutMs"],
  ["timeoutSeconds", "timeoutMs"],
  ["retries", "maxRetries"],
  ["max_retries", "maxRetries"],
  ["key", "apiKey"],
  ["apiToken", "apiKey"],
  ["defaultHeaders", "headers"],
  ["header", "headers"],
  ["log", "logger"],
  ["colck", "clock"],
])("an option %s is refused with the one meant, %s", (wrong, meant) => {
  const options = { ...good, [wrong]: 1 };
  expect(() => new ScreenshotSets(options)).toThrow(ConfigurationError);
  expect(() => new ScreenshotSets(options)).toThrow(
    `\`ScreenshotSets\` has no option \`${wrong}\`. Did you mean \`${meant}\`?`,
  );
});

test("an option like no other is refused with those there are", () => {
  const options = { ...good, organization: "org_1" };
  expect(() => new ScreenshotSets(options)).toThrow(
    /^`ScreenshotSets` has no option `organization`\. It takes `apiKey`, `baseUrl`, .*\.$/,
  );
});

test("a name that no line can hold is shown in part", () => {
  const options = { ...good, ["\u001b[2J\n".repeat(1000)]: 1 };
  expect(() => new ScreenshotSets(options)).toThrow(/no option `(\?\?2J\?){8}`/);
});

test("the nearest name is told from other near ones, and none from none", () => {
  const flags = ["device", "count", "caption-style", "caption-length", "context", "timeout"];
  expect(nearestName("devise", flags)).toBe("device");
  expect(nearestName("caption-lenght", flags)).toBe("caption-length");
  expect(nearestName("captionStyle", flags)).toBe("caption-style");
  expect(nearestName("contxt", flags)).toBe("context");
  expect(nearestName("verbose", flags)).toBeUndefined();
  expect(nearestName("", flags)).toBeUndefined();
});
