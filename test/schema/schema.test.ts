import { expect, test } from "vitest";
import * as z from "zod/mini";
import {
  array,
  checked,
  integer,
  looseObject,
  requireDistinct,
  requireOneOf,
  string,
  text,
  unknown,
} from "../../src/schema/kinds.js";
import { lazy, parse } from "../../src/schema/parse.js";

/** What is said of a value that is not what a schema asks for. */
function messagesFor(schema: z.core.$ZodType, value: unknown): string[] {
  const result = parse(() => schema, value);
  return result.ok ? [] : result.issues.map(({ message }) => message);
}

test.each<[message: string, z.core.$ZodType, value: unknown]>([
  ["Expected less than 5", z.number().check(z.lt(5)), 5],
  ["Expected at most 5", z.number().check(z.lte(5)), 6],
  ["Expected more than 5", z.number().check(z.gt(5)), 5],
  ["Expected at least 5", z.number().check(z.gte(5)), 4],
  ["Expected a multiple of 2", z.number().check(z.multipleOf(2)), 5],
  ["Expected a string of the form /^a$/", z.string().check(z.regex(/^a$/)), "b"],
  ["Expected another value", z.xor([z.string(), z.literal("b")]), "b"],
  ['Expected "one"', z.enum(["one"]), "two"],
  ['Expected "one", "two" or "three"', z.enum(["one", "two", "three"]), "four"],
  ["Expected no one, two", z.strictObject({}), { one: 1, two: 2 }],
  ["Expected a number, got Infinity", z.number(), Number.POSITIVE_INFINITY],
  ["Expected at least 1 character, got 0", text(1), ""],
  ["Expected at least 2 characters, got 1", text(2), "\u{1f600}"],
  ["Expected at most 2 characters, got 3", text(0, 2), "abc"],
  ["Expected an integer", integer(1, 3), 1.5],
  ["Expected at least 1", integer(1, 3), 0],
  ["Expected at most 3", integer(1, 3), 4],
  ["Expected no item twice", checked(array(unknown()), requireDistinct), [{ a: 1 }, { a: 1 }]],
  ["Expected a value, got undefined", looseObject({ any: unknown() }), {}],
  ["Expected a string, got a boolean", z.union([z.string(), z.number()]), true],
  // What a string holds is no advice.
  ["Expected an object, got a string", array(looseObject({})), ["text"]],
  ["Expected a, b or both", looseObject({}).check(requireOneOf("a", "b")), { a: null, other: 1 }],
  ["Expected a, b, c: at least one of them", looseObject({}).check(requireOneOf("a", "b", "c")), {}],
])("says what was expected: %s", (message, schema, value) => {
  expect(messagesFor(schema, value)).toEqual([message]);
});

test.each<[z.core.$ZodType, value: unknown]>([
  [integer(1, 3), 1],
  [integer(1, 3), 3],
  [checked(array(unknown()), requireDistinct), [1, 2, "1"]],
  [text(2, 2), "\uffff\u{10000}"],
  [looseObject({}).check(requireOneOf("a", "b")), { b: "x" }],
])("takes what lies at the edge: %#", (schema, value) => {
  expect(messagesFor(schema, value)).toEqual([]);
});

test("an issue names its place, within one of several schemas too", () => {
  const inner = z.union([z.object({ name: z.string() }), z.number()]);
  const schema = looseObject({ list: array(looseObject({ one: inner })), text: string() });
  expect(parse(() => schema, { list: [{ one: {} }] })).toEqual({
    ok: false,
    issues: [
      { path: "list.0.one.name", message: "Expected a string, got undefined" },
      { path: "text", message: "Expected a string, got undefined" },
    ],
  });
});

test.each([
  [{ status: true }, "status", "Expected a number, got a boolean"],
  [{ latencyMs: "" }, "latencyMs", "Expected a number, got an empty string"],
  ["resett", "", 'Expected "reset" or "hang"'],
  [{ other: 1 }, "", 'Expected "reset" or "hang"'],
])(
  "of several alternatives, it names what is wrong with the one that %j is meant to be",
  (value, path, message) => {
    const schema = z.union([
      z.enum(["reset", "hang"]),
      z.strictObject({ status: z.number() }),
      z.strictObject({ latencyMs: z.number() }),
    ]);
    expect(parse(() => schema, value)).toEqual({ ok: false, issues: [{ path, message }] });
  },
);

test("a schema is built when it is first used, and once", () => {
  let built = 0;
  const schema = lazy(() => {
    built++;
    return z.string();
  });
  expect(built).toBe(0);
  expect([parse(schema, "a").ok, parse(schema, 1).ok]).toEqual([true, false]);
  expect(built).toBe(1);
});

test("an object is read by its fields, also where a class has them, and changes no prototype", () => {
  class Params {
    get text() {
      return "a";
    }
    other = 1;
  }
  const schema = () => looseObject({ text: z.string() });
  expect(parse(schema, new Params())).toStrictEqual({ ok: true, value: { text: "a", other: 1 } });
  const hostile = parse(schema, JSON.parse('{"text":"a","__proto__":{"polluted":true}}'));
  expect(hostile.ok && Object.getPrototypeOf(hostile.value)).toBe(Object.prototype);
});
