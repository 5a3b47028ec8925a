import fc from "fast-check";
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
  ["Expected no extra", z.strictObject({}), { extra: 1 }],
  ["Expected a number, got Infinity", z.number(), Number.POSITIVE_INFINITY],
  ["Expected at least 1 character, got 0", text(1), ""],
  ["Expected at least 2 characters, got 1", text(2), "\u{1f600}"],
  ["Expected at most 2 characters, got 3", text(0, 2), "abc"],
  ["Expected an integer", integer(1, 3), 1.5],
  ["Expected at least 1", integer(1, 3), 0],
  ["Expected at most 3", integer(1, 3), 4],
  ["Expected no item twice", checked(array(unknown()), requireDistinct), [{ a: 1 }, { a: 1 }]],
  ["Expected a value, got undefined", looseObject({ any: unknown() }), {}],
  ["Expected no one, two", z.strictObject({}), { one: 1, two: 2 }],
  ["Expected a string, got a boolean", z.union([z.string(), z.number()]), true],
])("says what was expected: %s", (message, schema, value) => {
  expect(messagesFor(schema, value)).toEqual([message]);
});

test.each<[z.core.$ZodType, value: unknown]>([
  [integer(1, 3), 1],
  [integer(1, 3), 3],
  [checked(array(unknown()), requireDistinct), [1, 2, "1"]],
  [text(2, 2), "\uffff\u{10000}"],
  [text(2, 2), "a\ud83d"],
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

test("of several alternatives, it names what is wrong with the one whose fields the value has", () => {
  const schema = z.union([
    z.enum(["reset", "hang"]),
    z.strictObject({ status: z.number() }),
    z.strictObject({ latencyMs: z.number() }),
  ]);
  const issuesFor = (value: unknown) => parse(() => schema, value);
  const ofOne = (path: string, message: string) => ({ ok: false, issues: [{ path, message }] });

  expect(issuesFor({ status: true })).toEqual(ofOne("status", "Expected a number, got a boolean"));
  expect(issuesFor({ latencyMs: "" })).toMatchObject(
    ofOne("latencyMs", "Expected a number, got an empty string"),
  );
  expect(issuesFor("resett")).toEqual(ofOne("", 'Expected "reset" or "hang"'));
  expect(issuesFor({ other: 1 })).toEqual(ofOne("", 'Expected "reset" or "hang"'));
});

test("no advice is given about what a string holds", () => {
  const issues = [{ path: "0", message: "Expected an object, got a string" }];
  expect(parse(() => array(looseObject({})), ["text"])).toEqual({ ok: false, issues });
});

test("a format without a pattern is named", () => {
  const schema = z.string().check((payload) => {
    payload.issues.push({ code: "invalid_format", format: "date", input: payload.value, inst: schema });
  });
  expect(messagesFor(schema, "today")).toEqual(["Expected a string of the form date"]);
});

test.each([
  [["a"], "Expected a"],
  [["a", "b"], "Expected a, b or both"],
  [["a", "b", "c"], "Expected a, b or c"],
] as [[string], string][])("one of %j is enough, and null counts as none", (names, message) => {
  const schema = z.looseObject({}).check(requireOneOf(...names));
  expect(messagesFor(schema, { [names[0]]: null, other: 1 })).toEqual([message]);
  expect(messagesFor(schema, { [names.at(-1) as string]: "x" })).toEqual([]);
});

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

const fieldNames = ["text", "maybe", "any", "empty", "nested", "other"];

/** The same schema, with `looseObject` of zod's or of ours. */
const schemaOf = (object: (shape: Record<string, z.core.$ZodType>) => z.core.$ZodType) =>
  object({
    text: z.string(),
    maybe: z.optional(z.number()),
    any: z.unknown(),
    empty: z.nullable(z.string()),
    nested: z.optional(object({ text: z.string() })),
  });

test("an object is checked and copied as zod's own class does it", () => {
  const [ours, zods] = [schemaOf(looseObject), schemaOf(z.looseObject)];
  const value = fc.oneof(fc.string(), fc.integer(), fc.constantFrom(null, undefined), fc.array(fc.string()));
  const fields = fc.dictionary(fc.constantFrom(...fieldNames), fc.oneof(value, fc.record({ text: value })));
  fc.assert(
    fc.property(fc.oneof(value, fields), (input) => {
      const result = parse(() => ours, input);
      expect(result).toStrictEqual(parse(() => zods, input));
      if (result.ok) expect(result.value).not.toBe(input);
    }),
    { numRuns: 2_000 },
  );
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
