import { expect, test } from "vitest";
import { classify } from "../../scripts/classify/classify.js";
import { parseDocument } from "../../scripts/vet/parse-document.js";
import { changed, type Document } from "../helpers/generated-module.js";

/** The document with a further operation that takes and answers what a schema describes. */
function documentWith(schema: object, version = "3.1.0") {
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Note" } } };
  const document = changed(({ components, paths }: Document) => {
    components.schemas.Note = schema;
    components.schemas.Size = { type: "object", properties: { width: { type: "integer" } } };
    paths["/public/v1/notes"] = {
      post: { requestBody: { content }, responses: { 201: { description: "Noted.", content } } },
    };
  });
  return parseDocument(JSON.stringify({ ...document, openapi: version }));
}

const size = { $ref: "#/components/schemas/Size" };

/** Schemas in plain form, and others that mean the same. */
const spellings: [what: string, plain: object, other: object, version?: string][] = [
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
  ["null as a list of values", { type: "null" }, { enum: [null] }],
  ["null as a format", { type: "null" }, { format: "null" }, "3.0.3"],
  [
    "a nullable type",
    { type: ["integer", "null"], minimum: 1 },
    { type: "integer", minimum: 1, nullable: true },
    "3.0.3",
  ],
  [
    "a nullable list of values",
    { type: ["string", "null"], enum: ["wide", null] },
    { type: "string", enum: ["wide"], nullable: true },
    "3.0.3",
  ],
  ["a nullable reference", { anyOf: [size, { type: "null" }] }, { allOf: [size], nullable: true }, "3.0.3"],
  [
    "nullable alternatives",
    { anyOf: [{ anyOf: [{ type: "string" }, size] }, { type: "null" }] },
    { anyOf: [{ type: "string" }, size], nullable: true },
    "3.0.3",
  ],
  ["nullable alone", {}, { nullable: true }, "3.0.3"],
  ["nullable that is false", { type: "string" }, { type: "string", nullable: false }, "3.0.3"],
  ["one alternative", { type: "string" }, { oneOf: [{ type: "string" }], description: "A note." }],
  ["one alternative in another", { type: "string" }, { anyOf: [{ oneOf: [{ type: "string" }] }] }],
  ["a constant", { type: "string", enum: ["wide"] }, { type: "string", const: "wide" }],
  ["a constant of no type", { type: "string", enum: ["wide"] }, { const: "wide" }],
  [
    "an object that no other schema evaluates",
    { type: "object", properties: { width: { type: "integer" } }, additionalProperties: { type: "string" } },
    { type: "object", properties: { width: { type: "integer" } }, unevaluatedProperties: { type: "string" } },
  ],
  [
    "a closed object",
    { type: "object", properties: { width: { type: "integer" } }, additionalProperties: false },
    { type: "object", properties: { width: { type: "integer" } }, unevaluatedProperties: false },
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

test.each(spellings)("%s means the same as in plain form", async (_, plain, other, version) => {
  expect(await classify(documentWith(plain), documentWith(other, version))).toEqual({
    level: "docs",
    changes: [],
    words: [],
  });
});
