import { ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Any, address, expectToTell, secret } from "./helpers/expect-to-tell.js";

// What people give a client by mistake.

const good = { apiKey: secret, baseUrl: address };
const addressBut =
  "Expected `baseUrl` to be the service's address, such as https://api.example.com/api/v1, but it ";
const keyBut = "Expected `apiKey` to be an API key of visible ASCII characters, but it ";

const sleep = async () => {};

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("Expected it to throw");
}

describe("instead of options, a client refuses", () => {
  const given: [options: unknown, message: string][] = [
    [secret, "Expected the options of `ScreenshotSets` to be an object, got a string."],
    [null, "Expected the options of `ScreenshotSets` to be an object, got null."],
    [5, "Expected the options of `ScreenshotSets` to be an object such as `{ timeoutMs }`, got 5."],
    [[good], "Expected the options of `ScreenshotSets` to be an object, got an array."],
    [() => good, "Expected the options of `ScreenshotSets` to be an object, got a function."],
    [
      Promise.resolve(good),
      "Expected the options of `ScreenshotSets` to be an object, got a Promise. Await it first.",
    ],
    [new Map(Object.entries(good)), "Expected the options of `ScreenshotSets` to be an object, got a Map."],
    [
      new AbortController(),
      "Expected the options of `ScreenshotSets` to be an object, got an AbortController.",
    ],
    [createMock(), "Expected the options of `ScreenshotSets`, got a mock: pass `mock.clientOptions`."],
    [
      createMock().account(),
      "Expected the options of `ScreenshotSets`, got a mock: pass `mock.clientOptions`.",
    ],
    [
      new AbortController().signal,
      "Expected the options of `ScreenshotSets` to be an object such as `{ signal }`, got an AbortSignal.",
    ],
  ];
  test.each(given)("%o", (options, message) => {
    expectToTell(
      thrownBy(() => new ScreenshotSets(options as Any)),
      message,
    );
  });
});

describe("a client refuses", () => {
  const wrong: [options: object, message: string][] = [
    [{ baseURL: address }, "`ScreenshotSets` has no option `baseURL`. Did you mean `baseUrl`?"],
    [{ base_url: address }, "`ScreenshotSets` has no option `base_url`. Did you mean `baseUrl`?"],
    [{ url: 1 }, "`ScreenshotSets` has no option `url`. Did you mean `baseUrl`?"],
    [{ key: 1 }, "`ScreenshotSets` has no option `key`. Did you mean `apiKey`?"],
    [{ apikey: 1 }, "`ScreenshotSets` has no option `apikey`. Did you mean `apiKey`?"],
    [
      { token: 1 },
      "`ScreenshotSets` has no option `token`. It takes `apiKey`, `baseUrl`, `authHeader`, `timeoutMs`, `maxRetries`, `fetch`, `clock`, `logger`, `maxConcurrentPolls`, `learned`, `headers`, `onResponse`, `dangerouslyAllowBrowser`.",
    ],
    [{ timeout: 5 }, "`ScreenshotSets` has no option `timeout`. Did you mean `timeoutMs`?"],
    [{ retries: 1 }, "`ScreenshotSets` has no option `retries`. Did you mean `maxRetries`?"],
    [{ maxRetry: 1 }, "`ScreenshotSets` has no option `maxRetry`. Did you mean `maxRetries`?"],
    [{ defaultHeaders: {} }, "`ScreenshotSets` has no option `defaultHeaders`. Did you mean `headers`?"],
    [{ log: 1 }, "`ScreenshotSets` has no option `log`. Did you mean `logger`?"],
    [{ onresponse: 1 }, "`ScreenshotSets` has no option `onresponse`. Did you mean `onResponse`?"],
    [
      { organization: 1 },
      "`ScreenshotSets` has no option `organization`. It takes `apiKey`, `baseUrl`, `authHeader`, `timeoutMs`, `maxRetries`, `fetch`, `clock`, `logger`, `maxConcurrentPolls`, `learned`, `headers`, `onResponse`, `dangerouslyAllowBrowser`.",
    ],
    [{ browser: true }, "`ScreenshotSets` has no option `browser`. Did you mean `dangerouslyAllowBrowser`?"],
    [{ apiKey: `${secret}\n` }, `${keyBut}ends in a line break, as texts from files do: trim it.`],
    [{ apiKey: `${secret}\r\n` }, `${keyBut}ends in a line break, as texts from files do: trim it.`],
    [{ apiKey: ` ${secret}` }, `${keyBut}begins or ends with white space: trim it.`],
    [{ apiKey: `a ${secret}` }, `${keyBut}has white space in it.`],
    [{ apiKey: `Bearer ${secret}` }, `${keyBut}begins with \`Bearer\`: pass the key alone.`],
    [{ apiKey: `é${secret}` }, `${keyBut}holds others.`],
    [{ apiKey: "" }, "Expected `apiKey` to be an API key of visible ASCII characters, got an empty string."],
    [{ apiKey: 7 }, "Expected `apiKey` to be an API key of visible ASCII characters, got a number."],
    [
      { apiKey: Promise.resolve(secret) },
      "Expected `apiKey` to be an API key of visible ASCII characters, got a Promise. Pass a function that returns it.",
    ],
    [
      { apiKey: { secret } },
      "Expected `apiKey` to be an API key of visible ASCII characters, got an object.",
    ],
    [{ baseUrl: "" }, "Expected `baseUrl` to be the service's address in a string, got an empty string."],
    [{ baseUrl: `${address}\n` }, `${addressBut}ends in a line break, as texts from files do: trim it.`],
    [{ baseUrl: ` ${address}` }, `${addressBut}begins or ends with white space: trim it.`],
    [{ baseUrl: `${address} ` }, `${addressBut}begins or ends with white space: trim it.`],
    [{ baseUrl: "https://hidden host/api" }, `${addressBut}has white space in it.`],
    [{ baseUrl: `"${address}"` }, `${addressBut}is in quotes: remove them.`],
    [{ baseUrl: "hidden-host.example/api/v1" }, `${addressBut}has no scheme: begin it with https://.`],
    [{ baseUrl: "localhost:4010/api/v1" }, `${addressBut}has no scheme: begin it with https://.`],
    [
      { baseUrl: "{base_url}/api/v1" },
      `${addressBut}holds a placeholder in brackets: put the address in its place.`,
    ],
    [
      { baseUrl: "https://{base_url}/api/v1" },
      `${addressBut}holds a placeholder in brackets: put the address in its place.`,
    ],
    [
      { baseUrl: "<base_url>" },
      `${addressBut}holds a placeholder in brackets: put the address in its place.`,
    ],
    [{ baseUrl: "ftp://hidden" }, `${addressBut}has a scheme other than https.`],
    [{ baseUrl: "https://" }, `${addressBut}is not a valid URL.`],
    [{ baseUrl: "/api/v1" }, `${addressBut}has no scheme: begin it with https://.`],
    [
      { baseUrl: `${address}?key=${secret}` },
      `${addressBut}holds user information, a query or a fragment: remove it.`,
    ],
    [
      { baseUrl: `https://user:${secret}@h.example/api/v1` },
      `${addressBut}holds user information, a query or a fragment: remove it.`,
    ],
    [
      { baseUrl: "http://hidden-host.example/api/v1" },
      "Refused `baseUrl`, which would send the API key unencrypted. Use https; plain http is allowed to loopback hosts only.",
    ],
    [
      { baseUrl: new URL(address) },
      "Expected `baseUrl` to be the service's address in a string, got a URL. Pass its `href`.",
    ],
    [{ baseUrl: 7 }, "Expected `baseUrl` to be the service's address in a string, got 7."],
    [
      { authHeader: "Authorization" },
      'Expected `authHeader` to be "authorization" or "x-api-key", got a string.',
    ],
    [{ timeoutMs: "5000" }, "Expected `timeoutMs` to be a number of milliseconds, 0 or more, got a string."],
    [{ timeoutMs: Number.NaN }, "Expected `timeoutMs` to be a number of milliseconds, 0 or more, got NaN."],
    [{ timeoutMs: -1 }, "Expected `timeoutMs` to be a number of milliseconds, 0 or more, got -1."],
    [{ maxRetries: 1.5 }, "Expected `maxRetries` to be a non-negative integer, got 1.5."],
    [{ maxRetries: "2" }, "Expected `maxRetries` to be a non-negative integer, got a string."],
    [{ maxRetries: Infinity }, "Expected `maxRetries` to be a non-negative integer, got Infinity."],
    [{ fetch: {} }, "Expected `fetch` to be a function, got an object."],
    [{ fetch: "undici" }, "Expected `fetch` to be a function, got a string."],
    [{ clock: Date }, "Expected `clock` to be an object with `now` and `sleep`, got a function."],
    [{ clock: {} }, "Expected `clock` to be an object with `now` and `sleep`, got an object."],
    [
      { clock: { now: () => Number.NaN, sleep } },
      "Expected what `clock.now` returns to be a number of milliseconds, got NaN.",
    ],
    [
      { clock: { now: () => new Date(), sleep } },
      "Expected what `clock.now` returns to be a number of milliseconds, got a Date.",
    ],
    [
      { clock: { now: () => expect.fail(secret), sleep } },
      "Expected `clock.now` to return a number of milliseconds, but it threw.",
    ],
    [
      { logger: () => {} },
      "Expected `logger` to be an object with `debug`, `info`, `warn` and `error`, got a function.",
    ],
    [
      { logger: { info() {} } },
      "Expected `logger` to be an object with `debug`, `info`, `warn` and `error`, got an object.",
    ],
    [
      { logger: "debug" },
      "Expected `logger` to be an object with `debug`, `info`, `warn` and `error`, got a string.",
    ],
    [{ headers: [] }, "Expected `headers` to be an object of names and values, got an array."],
    [{ onResponse: {} }, "Expected `onResponse` to be a function, got an object."],
  ];
  test.each(wrong)("%o", (options, message) => {
    expectToTell(
      thrownBy(() => new ScreenshotSets({ ...good, ...options } as Any)),
      message,
    );
  });
});

test.each([
  ["SCREENSHOT_SETS_API_KEY", `${secret}\n`, "ends in a line break, as texts from files do: trim it"],
  ["SCREENSHOT_SETS_BASE_URL", `${address}\n`, "ends in a line break, as texts from files do: trim it"],
  ["SCREENSHOT_SETS_BASE_URL", `'${address}'`, "is in quotes: remove them"],
  ["SCREENSHOT_SETS_BASE_URL", "hidden.example/api/v1", "has no scheme: begin it with https://"],
  ["SCREENSHOT_SETS_BASE_URL", "{base_url}", "holds a placeholder in brackets: put the address in its place"],
])("what is wrong with the variable %s is told as that: %j", (variable, value, fault) => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("SCREENSHOT_SETS_API_KEY", secret);
  vi.stubEnv("SCREENSHOT_SETS_BASE_URL", address);
  vi.stubEnv(variable, value);
  const error = thrownBy(() => new ScreenshotSets()) as Error;
  expect(error.message).toMatch(new RegExp(`^Expected ${variable} to be .*`));
  expectToTell(error, error.message);
  expect(error.message).toContain(`, but it ${fault}.`);
});
