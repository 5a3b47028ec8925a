import { runInNewContext } from "node:vm";
import { ScreenshotSets } from "screenshot-sets";
import { expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";

const key = "sk_live_Canary";
const baseUrl = "https://example.com/api/v1";

/** What the error of a call shows of what `fetch` failed with. */
async function shown(cause: unknown, apiKey = key) {
  const fetch = () => Promise.reject(cause);
  const client = new ScreenshotSets({ apiKey, baseUrl, fetch, maxRetries: 0 });
  return (await rejection(client.jobs.get("job-1"))).cause;
}

test("what holds no key is passed on as it is", async () => {
  const cause = Object.assign(new Error("down"), { list: [1, { deep: new Map() }] });
  expect(await shown(cause)).toBe(cause);
});

test("beside what holds the key, the rest of an error is passed on as it is", async () => {
  const kept = { deep: [new Date(0)] };
  const cause = Object.assign(new TypeError("down"), { code: "EPIPE", kept, leaked: { text: `of ${key}` } });
  const copy = await shown(cause);
  expect(copy).not.toBe(cause);
  expect(copy.constructor).toBe(TypeError);
  expect(copy).toMatchObject({ message: "down", code: "EPIPE", leaked: { text: "of ***" } });
  expect(copy.kept).toBe(kept);
  expect(copy.stack).toBe(cause.stack);
  expect(cause.leaked.text).toContain(key);
});

test("copies are of the kind that they are made of, in their order", async () => {
  const map = new Map<unknown, unknown>([
    ["first", 1],
    [`second ${key}`, [key]],
    [key, key],
  ]);
  const set = new Set([1, key, { key }]);
  const headers = new Headers([
    ["x-first", "1"],
    ["x-key", `Bearer ${key}`],
  ]);
  const list = ["a", key, [key]];
  const copy = await shown(Object.assign(new Error("down"), { map, set, headers, list }));
  expect(copy.map).toEqual(
    new Map<unknown, unknown>([
      ["first", 1],
      ["second ***", ["***"]],
      ["***", "***"],
    ]),
  );
  expect(copy.set).toEqual(new Set([1, "***", { key: "***" }]));
  expect(copy.headers).toBeInstanceOf(Headers);
  expect([...copy.headers]).toEqual([
    ["x-first", "1"],
    ["x-key", "Bearer ***"],
  ]);
  expect(Array.isArray(copy.list)).toBe(true);
  expect(copy.list).toEqual(["a", "***", ["***"]]);
});

test("a circle stays one", async () => {
  const cause = Object.assign(new Error(key), { back: {}, other: {} });
  cause.back = cause;
  cause.other = { round: { cause } };
  const copy = await shown(cause);
  expect(copy.message).toBe("***");
  expect(copy.back).toBe(copy);
  expect(copy.other.round.cause).toBe(copy);
});

test("what several hold is replaced in each of them, once, and nothing stays nothing", async () => {
  const shared = { text: key, nothing: null, none: undefined };
  const copy = await shown(Object.assign(new Error("down"), { first: { shared }, second: [shared] }));
  expect(copy.first.shared).toEqual({ text: "***", nothing: null, none: undefined });
  expect(copy.second[0]).toBe(copy.first.shared);
});

test("fields that are hidden, or named by a symbol, stay so; those behind accessors are left out", async () => {
  const symbol = Symbol("own");
  const cause = Object.defineProperties(new Error(key), {
    hidden: { value: key, enumerable: false },
    [symbol]: { value: key, enumerable: true },
    asked: { get: () => key, enumerable: true },
  });
  const copy = await shown(cause);
  expect(Object.getOwnPropertyDescriptor(copy, "hidden")).toMatchObject({ value: "***", enumerable: false });
  expect(Object.getOwnPropertyDescriptor(copy, symbol)).toMatchObject({ value: "***", enumerable: true });
  expect(Reflect.ownKeys(copy).sort(byName)).toEqual(
    ["hidden", "message", "name", "stack", symbol].sort(byName),
  );
});

function byName(one: string | symbol, other: string | symbol): number {
  return String(one) < String(other) ? -1 : 1;
}

test("an error that says the key by way of its class says it no more", async () => {
  class VaultError extends Error {
    override get name() {
      return `VaultError of ${key}`;
    }
    override get message() {
      return `No ${key}`;
    }
  }
  Object.defineProperty(VaultError.prototype, Symbol.toStringTag, { value: "Vault" });
  const copy = await shown(new VaultError());
  expect([copy.name, copy.message]).toEqual(["VaultError of ***", "No ***"]);
  expect(copy.stack).not.toContain(key);
  expect(copy).toBeInstanceOf(VaultError);
  copy.name = "Error";
  expect(copy.name).toBe("Error");
});

test("an error of another realm, where each test file may have one, is an error", async () => {
  const foreign = runInNewContext("new TypeError(words)", { words: `No ${key}` });
  expect(foreign).not.toBeInstanceOf(Error);
  const copy = await shown(foreign);
  expect([copy.name, copy.message]).toEqual(["TypeError", "No ***"]);
  expect(copy.stack).toContain("No ***");
  expect((await shown(runInNewContext("new Map([[1, words]])", { words: key }))).get(1)).toBe("***");
});

test("what calls itself a collection and is none is looked at like any object", async () => {
  for (const tag of ["Map", "Set", "Headers"]) {
    const copy = await shown({ text: key, other: 1, [Symbol.toStringTag]: tag });
    expect(copy).toMatchObject({ text: "***", other: 1 });
  }
});

test("a DOMException that holds the key becomes an error of its name", async () => {
  const copy = await shown(new DOMException(`Not with ${key}`, "DataError"));
  expect(copy).toBeInstanceOf(Error);
  expect([copy.name, copy.message, copy.code]).toEqual(["DataError", "Not with ***", undefined]);
});

test("a request or an answer that an error carries along shows its headers, without the key", async () => {
  const request = new Request(baseUrl, { headers: { authorization: `Bearer ${key}` } });
  const copy = await shown(Object.assign(new Error("down"), { request }));
  expect([...copy.request.headers]).toEqual([["authorization", "Bearer ***"]]);
  expect(Object.keys(copy.request)).toEqual(["headers"]);
  const named = { headers: `x-api-key: ${key}`, url: baseUrl };
  expect((await shown(Object.assign(new Error("down"), { named }))).named).toEqual({
    headers: "x-api-key: ***",
    url: baseUrl,
  });
});

test("what its class says of its headers is not shown where those are none, or cannot be asked for", async () => {
  class Carrier {
    text = `of ${key}`;
    get headers(): unknown {
      return { plain: key };
    }
  }
  class SealedCarrier extends Carrier {
    override get headers() {
      throw new Error("sealed");
    }
  }
  const carriers = [new Carrier(), new SealedCarrier()];
  expect((await shown(Object.assign(new Error("down"), { carriers }))).carriers).toEqual([
    { text: "of ***" },
    { text: "of ***" },
  ]);
});

test("of two keys, that with characters that URLs escape is found in a URL", async () => {
  const keys = ["sk_live/first", "sk_live_second"];
  for (const given of [keys, [...keys].reverse()]) {
    const left = [...given];
    const fetch = async () => new Response("%73k_live sk_live%2Ffirst sk_live_second", { status: 401 });
    const client = new ScreenshotSets({ apiKey: () => left.shift() as string, baseUrl, fetch });
    expect((await rejection(client.jobs.get("job-1"))).body).toBe("%73k_live *** ***");
  }
});

test("bytes are not looked into", async () => {
  const bytes = new TextEncoder().encode(key);
  const copy = await shown(Object.assign(new Error(key), { bytes }));
  expect(copy.bytes).toBe(bytes);
});

test("an answer in JSON keeps its form without the key, and is not touched where it holds none", async () => {
  const bodies = [
    { message: `Not with ${key}`, list: [key, 1] },
    { message: "Not so", list: [null, 1] },
  ];
  for (const [index, cleaned] of [{ message: "Not with ***", list: ["***", 1] }, bodies[1]].entries()) {
    const fetch = async () => Response.json(bodies[index], { status: 404 });
    const client = new ScreenshotSets({ apiKey: key, baseUrl, fetch });
    expect((await rejection(client.jobs.get("job-1"))).body).toEqual(cleaned);
  }
});

test("a thrown string loses the key; what is no object is passed on", async () => {
  expect(await shown(`No ${key}`)).toBe("No ***");
  expect(await shown(7)).toBe(7);
  expect(await shown(null)).toBe(null);
});

test("keys of eight characters and more are hidden, shorter ones are taken for words", async () => {
  expect(await shown("12345678", "12345678")).toBe("***");
  expect(await shown("1234567", "1234567")).toBe("1234567");
});

test.each([
  ["sk_live-1.2", "sk_live-1%2e2", "sk_live-1%2E2"],
  ["sk_live'12", "sk_live&apos;12", "sk_live&#39;12"],
  ["sk_live>12", "sk_live&gt;12", "sk_live&#X3e;12"],
  ["sk_live/12", "sk_live&#x002F;12", "sk_live&#00047;12"],
  ["sk_live+12", "sk_live\\u002B12", "\\u0073k_live+12"],
  ["sk_live_12", "\\u0073k_live_12", "\\\\u0073k\\\\u005Flive_12"],
])("%s is found as %s and as %s", async (apiKey, one, other) => {
  expect(await shown(`<${one}> and <${other}>`, apiKey)).toBe("<***> and <***>");
});
