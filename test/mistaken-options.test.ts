import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { ConfigurationError, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { expect, test, vi } from "vitest";
import { type Any, address, expectToTell, secret } from "./helpers/expect-to-tell.js";

// What people give a client by mistake, and what it says.

const good = { apiKey: secret, baseUrl: address };

function refusalOf(options?: unknown): Any {
  try {
    new ScreenshotSets(options as Any);
  } catch (error) {
    return error;
  }
  throw new Error("Expected a refusal");
}

const all = "Expected the options of `ScreenshotSets`";
const instead: [options: unknown, message: string][] = [
  [secret, `${all} to be an object, got a string.`],
  [null, `${all} to be an object, got null.`],
  [5, `${all} to be an object such as \`{ timeoutMs }\`, got 5.`],
  [[good], `${all} to be an object, got an array.`],
  [() => good, `${all} to be an object, got a function.`],
  [Promise.resolve(good), `${all} to be an object, got a Promise. Await it first.`],
  [new Map(Object.entries(good)), `${all} to be an object, got a Map.`],
  [new AbortController().signal, `${all} to be an object such as \`{ signal }\`, got an AbortSignal.`],
  [createMock(), `${all}, got a mock: pass \`mock.clientOptions\`.`],
];

test.each(instead)("instead of options, a client refuses %o", (options, message) => {
  expectToTell(refusalOf(options), message);
});

const no = (name: string) => `\`ScreenshotSets\` has no option \`${name}\`.`;
const names =
  "It takes `apiKey`, `baseUrl`, `authHeader`, `timeoutMs`, `maxRetries`, `fetch`, `clock`, `logger`, `maxConcurrentPolls`, `headers`, `onResponse`, `dangerouslyAllowBrowser`, `dangerouslyAllowHttp`.";
const isKey = "Expected `apiKey` to be an API key of visible ASCII characters";
const isAddress = "Expected `baseUrl` to be the service's address";
const but = `${isAddress}, such as https://api.example.com/api/v1, but it`;
const placeholder = `${but} holds a placeholder in brackets: put the address in its place.`;
const noScheme = `${but} has no scheme: begin it with https://.`;
const noMore = `${but} holds user information, a query or a fragment: remove it.`;
const http =
  "Refused `baseUrl`, which would send the API key unencrypted. Use https; plain http is allowed to loopback hosts only. For a mock in a container of its own, set `dangerouslyAllowHttp: true`.";
const isMs = "Expected `timeoutMs` to be a number of milliseconds, 0 or more";
const isCount = "Expected `maxRetries` to be a non-negative integer";
const isHeader = 'Expected `authHeader` to be "authorization" or "x-api-key"';
const isClock = "Expected `clock` to be an object with `now` and `sleep`";
const isLogger = "Expected `logger` to be an object with `debug`, `info`, `warn` and `error`";

const made = "the client makes the body and what describes it";
const sendsKey = "the client sends the key, which it takes as `apiKey`";
const connection = "it is the connection's";
const isLatin = "to be Latin text on one line, but it holds";
const isName = "to be one that HTTP allows: letters, digits and dashes";
const areHeaders = "Expected `headers` to be an object of names and values";
const among = (name: string) => `\`${name}\` among \`headers\``;

const wrongHeaders: [headers: unknown, message: string][] = [
  [{ Authorization: secret }, `Refused ${among("authorization")}: ${sendsKey}.`],
  [{ "X-API-Key": secret }, `Refused ${among("x-api-key")}: ${sendsKey}.`],
  [{ "Content-Type": secret }, `Refused ${among("content-type")}: ${made}.`],
  [{ "transfer-encoding": "chunked" }, `Refused ${among("transfer-encoding")}: ${made}.`],
  [{ expect: "100-continue" }, `Refused ${among("expect")}: ${connection}.`],
  [{ "x-a": `${secret}\r\nx-b: 1` }, `Expected ${among("x-a")} ${isLatin} a line break.`],
  [{ "x-a": `${secret}ł` }, `Expected ${among("x-a")} ${isLatin} characters that no header can hold.`],
  [{ "x-a": 7 }, `Expected ${among("x-a")} to be a string, got 7.`],
  [{ [`x: ${secret}`]: "" }, `Expected each name in \`headers\` ${isName}.`],
  [null, `${areHeaders}, got null.`],
  [[["x-a", secret]], `${areHeaders}, got an array.`],
  [new Headers(), `${areHeaders}, got a Headers. Pass \`Object.fromEntries(headers)\`.`],
];

const wrong: [options: object, message: string][] = [
  ...wrongHeaders.map(([headers, message]): [object, string] => [{ headers }, message]),
  [{ baseURL: address }, `${no("baseURL")} Did you mean \`baseUrl\`?`],
  [{ learned: "" }, `${no("learned")} ${names}`],
  [{ ["\u001b[2J\n".repeat(9)]: 1 }, `${no(`${"\\u001b[2J\\u000a".repeat(8)}…`)} ${names}`],
  [{ apiKey: `${secret}\r\n` }, `${isKey}, but it ends in a line break, as texts from files do: trim it.`],
  [{ apiKey: ` ${secret}` }, `${isKey}, but it begins or ends with white space: trim it.`],
  [{ apiKey: `a bearer\n${secret}` }, `${isKey}, but it has white space in it.`],
  [{ apiKey: `Bearer ${secret}` }, `${isKey}, but it begins with \`Bearer\`: pass the key alone.`],
  [{ apiKey: `é${secret}` }, `${isKey}, but it holds others.`],
  [{ apiKey: "" }, `${isKey}, got an empty string.`],
  [{ apiKey: null }, `${isKey}, got null.`],
  [{ apiKey: 7 }, `${isKey}, got a number.`],
  [{ apiKey: Promise.resolve(secret) }, `${isKey}, got a Promise. Pass a function that returns it.`],
  [{ baseUrl: "" }, `${isAddress} in a string, got an empty string.`],
  [{ baseUrl: 7 }, `${isAddress} in a string, got 7.`],
  [{ baseUrl: new URL(address) }, `${isAddress} in a string, got a URL. Pass its \`href\`.`],
  [{ baseUrl: `${address}\n` }, `${but} ends in a line break, as texts from files do: trim it.`],
  [{ baseUrl: ` ${address}` }, `${but} begins or ends with white space: trim it.`],
  [{ baseUrl: "https://hidden host/api" }, `${but} has white space in it.`],
  [{ baseUrl: `"${address}"` }, `${but} is in quotes: remove them.`],
  [{ baseUrl: "{base_url}/api/v1" }, placeholder],
  [{ baseUrl: "localhost:4010/api/v1" }, noScheme],
  [{ baseUrl: "ftp://hidden" }, `${but} has a scheme other than https.`],
  [{ baseUrl: "xhttps://hidden" }, `${but} has a scheme other than https.`],
  [{ baseUrl: "https://" }, `${but} is not a valid URL.`],
  [{ baseUrl: `${address}?key=${secret}` }, noMore],
  [{ baseUrl: `${address}#${secret}` }, noMore],
  [{ baseUrl: `https://user:${secret}@h.example/` }, noMore],
  [{ baseUrl: "http://127.0.0.1@hidden.example/" }, noMore],
  [{ baseUrl: "http://hidden-host.example/api/v1" }, http],
  [{ baseUrl: "http://127.0.0.1.hidden.example/" }, http],
  [{ baseUrl: "http://hidden-localhost/" }, http],
  [{ baseUrl: "http://[::ffff:127.0.0.1]/" }, http],
  [{ authHeader: "Authorization" }, `${isHeader}, got a string.`],
  [{ timeoutMs: Number.NaN }, `${isMs}, got NaN.`],
  [{ timeoutMs: -1 }, `${isMs}, got -1.`],
  [
    { timeoutMs: 2 ** 31 },
    "Expected `timeoutMs` to be at most 2147483647 milliseconds, or Infinity, got 2147483648.",
  ],
  [{ maxRetries: 1.5 }, `${isCount}, got 1.5.`],
  [{ maxConcurrentPolls: 0 }, "Expected `maxConcurrentPolls` to be a positive integer, got 0."],
  [{ clock: { sleep: async () => {} } }, `${isClock}, got an object.`],
  [{ logger: { ...console, warn: undefined } }, `${isLogger}, got an object.`],
  [{ onResponse: {} }, "Expected `onResponse` to be a function, got an object."],
  [{ dangerouslyAllowBrowser: 1 }, "Expected `dangerouslyAllowBrowser` to be true or false, got 1."],
  [{ dangerouslyAllowHttp: "yes" }, "Expected `dangerouslyAllowHttp` to be true or false, got a string."],
];

const docs = ["README.md", "docs/faq.md"].map((path) => readFileSync(path, "utf8")).join("\n");
const mockNames =
  "It takes `apiKey`, `allowance`, `lifecycle`, `baseUrl`, `clock`, `idPrefix`, `undocumented`, `recorded`, `strict`.";

test.each<[taker: string, take: (options: Any) => unknown, names: string, rowOf: (name: string) => RegExp]>([
  [
    "ScreenshotSets",
    (options) => new ScreenshotSets(options),
    names,
    (name) => RegExp(`^\\| \`${name}\` `, "m"),
  ],
  ["createMock", createMock, mockNames, (name) => RegExp(`^\\|.*createMock\\(\\{[^\`]*\\b${name}\\b`, "m")],
])(
  "%s lists its options where it is given another, and each has a row in the README, or in the FAQ where it is rarely needed",
  (taker, take, listed, rowOf) => {
    expect(() => take({ token: 1 })).toThrow(`\`${taker}\` has no option \`token\`. ${listed}`);
    const options = [...listed.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
    expect(options.filter((name) => !rowOf(name).test(docs))).toEqual([]);
  },
);

test.each(wrong)("a client refuses %o", (options, message) => {
  const error = refusalOf({ ...good, ...options });
  expectToTell(error, message);
  expect(error).toMatchObject({ name: "ConfigurationError", charged: "no" });
  expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/sk_live|hidden/);
  expect(() => new ScreenshotSets(good).withOptions(options as Any)).toThrow(ConfigurationError);
});

const keyVariable = "SCREENSHOT_SETS_API_KEY";
const urlVariable = "SCREENSHOT_SETS_BASE_URL";
const isUrl = `Expected ${urlVariable} to be the service's address, such as https://api.example.com/api/v1, but it`;
const isText = `Expected ${keyVariable} to be an API key of visible ASCII characters, but it`;
const isMissing = "is missing. Set the environment variable";
const noUrl = `The base URL ${isMissing} ${urlVariable} or pass \`baseUrl\`, the service's address, such as https://api.example.com/api/v1.`;

test.each([
  [keyVariable, `${secret}\n`, `${isText} ends in a line break, as texts from files do: trim it.`],
  [keyVariable, "", `The API key ${isMissing} ${keyVariable} or pass \`apiKey\`.`],
  [urlVariable, `'${address}'`, `${isUrl} is in quotes: remove them.`],
  [urlVariable, "", noUrl],
])("a variable %s that is %j is told as that", (variable, value, message) => {
  vi.stubEnv(keyVariable, secret);
  vi.stubEnv(urlVariable, address);
  vi.stubEnv(variable, value);
  expectToTell(refusalOf(), message);
});
