import { expect, test } from "vitest";
import { documentedPart } from "../../src/schema/documented-part.js";
import * as z from "../../src/schema/kinds.js";

const named = z.looseObject({ a: z.optional(z.string()) });

const tree: z.core.$ZodType = z.looseObject({ of: z.optional(z.lazy(() => tree)) });

test.each([
  ["a field", named, { a: "1", b: 2 }, { a: "1" }],
  ["a field that is left out", named, { b: 2 }, {}],
  [
    "a field within a field",
    z.looseObject({ of: z.nullable(named) }),
    { of: { a: "1", b: 2 } },
    { of: { a: "1" } },
  ],
  ["a list", z.array(named), [{ a: "1", b: 2 }, { b: 2 }], [{ a: "1" }, {}]],
  [
    "the alternative that fits",
    z.union([z.strictObject({ c: z.string() }), named]),
    { a: "1", b: 2 },
    { a: "1" },
  ],
  [
    "each of several alternatives that fit",
    z.union([named, z.looseObject({ b: z.number() })]),
    { a: "1", b: 2, c: 3 },
    { a: "1", b: 2 },
  ],
  [
    "both sides of an intersection",
    z.intersection(named, z.looseObject({ b: z.number() })),
    { a: "1", b: 2, c: 3 },
    { a: "1", b: 2 },
  ],
  ["an object with a further rule", z.intersection(named, z.looseObject({})), { a: "1", b: 2 }, { a: "1" }],
  ["an object that may hold itself", tree, { of: { a: "1" }, a: "1" }, { of: {} }],
  ["an alternative without fields", z.union([z.string(), z.number()]), "text", "text"],
  ["a map", z.record(z.string(), z.number()), { any: 1 }, { any: 1 }],
  [
    "a map with some fields",
    z.catchall(z.object({ a: z.string() }), z.number()),
    { a: "1", b: 2 },
    { a: "1", b: 2 },
  ],
  ["an object of which nothing is described", z.looseObject({}), { any: 1 }, { any: 1 }],
])("keeps of %s what the schema names", (_, schema, value, kept) => {
  expect(documentedPart(schema, value)).toEqual(kept);
});
