import { expect, test } from "vitest";
import { classify } from "../../scripts/classify/classify.js";
import { parseDocument } from "../../scripts/vet/parse-document.js";
import { changed, type Document } from "../helpers/generated-module.js";

const size = { $ref: "#/components/schemas/Size" };

/** Schemas in plain form, and others that mean the same. */
const spellings: [what: string, plain: object, other: object][] = [
  ["null as an alternative", { type: ["string", "null"] }, { anyOf: [{ type: "string" }, { type: "null" }] }],
  [
    "null as an alternative to values",
    { type: ["string", "null"], enum: ["wide", null] },
    { oneOf: [{ type: "null" }, { type: "string", enum: ["wide"] }] },
  ],
  [
    "null as an alternative to a reference",
    { type: ["object", "null"], properties: { width: { type: "integer" } } },
    { anyOf: [size, { type: "null" }] },
  ],
  ["null as the only value", { type: "null" }, { const: null, description: "Nothing." }],
  ["null as a format", { type: "null" }, { format: "null" }],
  [
    "a nullable list of values",
    { type: ["string", "null"], enum: ["wide", null] },
    { type: "string", enum: ["wide"], nullable: true },
  ],
  ["a nullable reference", { anyOf: [size, { type: "null" }] }, { allOf: [size], nullable: true }],
  [
    "nullable alternatives",
    { anyOf: [{ anyOf: [{ type: "string" }, size] }, { type: "null" }] },
    { anyOf: [{ type: "string" }, size], nullable: true },
  ],
  ["nullable alone", {}, { nullable: true }],
  ["one alternative", { type: "string" }, { oneOf: [{ type: "string" }], description: "A note." }],
  ["one alternative in another", { type: "string" }, { anyOf: [{ oneOf: [{ type: "string" }] }] }],
  ["a constant of no type", { type: "string", enum: ["wide"] }, { const: "wide" }],
  [
    "an object that no other schema evaluates",
    { type: "object", properties: { width: { type: "integer" } }, additionalProperties: { type: "string" } },
    { type: "object", properties: { width: { type: "integer" } }, unevaluatedProperties: { type: "string" } },
  ],
  ["an object of which nothing is said", { type: "object", additionalProperties: true }, { type: "object" }],
  [
    "an object of which only the size is said",
    { type: "object", minProperties: 1, additionalProperties: true },
    { type: "object", minProperties: 1, properties: {} },
  ],
  [
    "types as alternatives",
    { type: ["integer", "string"] },
    { anyOf: [{ type: "string" }, { type: "integer" }] },
  ],
];

/** The document with an operation for each schema, which takes and answers what the schema describes. */
const documentWith = (schemas: (readonly [what: string, schema: object])[]) =>
  parseDocument(
    JSON.stringify(
      changed(({ components, paths }: Document) => {
        components.schemas.Size = { type: "object", properties: { width: { type: "integer" } } };
        for (const [what, schema] of schemas) {
          const content = { "application/json": { schema } };
          const responses = { 201: { description: "Noted.", content } };
          paths[`/${what.replaceAll(" ", "-")}`] = { post: { requestBody: { content }, responses } };
        }
      }),
    ),
  );

test("each schema means the same as in plain form", async () => {
  const plain = documentWith(spellings.map(([what, schema]) => [what, schema]));
  const other = documentWith(spellings.map(([what, _, schema]) => [what, schema]));
  expect(await classify(plain, other)).toEqual({ level: "docs", changes: [] });
});
