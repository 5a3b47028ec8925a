import { expect, test } from "vitest";
import { classify } from "../../scripts/classify/classify.js";
import { parseDocument } from "../../scripts/vet/parse-document.js";
import { changed, type Document, exampleDocument } from "../helpers/generated-module.js";
import { releases } from "../helpers/releases.js";

const parse = (document: unknown) => parseDocument(JSON.stringify(document));

test.each(releases)("users read of a release with $what", ({ edit, level, sentences }) => {
  const { changes, ...rated } = classify(parse(exampleDocument()), parse(changed(edit)));
  expect([rated.level, ...changes.map(({ words }) => words)]).toEqual([level, ...sentences]);
});

/** The document with 280 further operations, of which each is changed. */
const grown = (change: (operation: Document, document: Document) => void) =>
  changed((document) => {
    const { paths, components } = document;
    components.schemas.Page = { type: "object", properties: { size: { type: "integer" } } };
    const content = { "application/json": { schema: { $ref: "#/components/schemas/Page" } } };
    for (let index = 0; index < 280; index++) {
      paths[`/public/v1/things/${index}`] = { get: { responses: { 200: { description: "", content } } } };
    }
    for (const item of Object.values<Document>(paths)) {
      for (const operation of Object.values<Document>(item)) change(operation, document);
    }
  });

test("one change is one sentence, however many operations have it", () => {
  const sentencesOf = (before: Document, after: Document) =>
    classify(parse(before), parse(after)).changes.map(({ words }) => words);
  const former = grown(() => {});
  const later = grown((operation, { components: { schemas } }) => {
    schemas.Page.properties.total = { type: "integer" };
    operation.parameters = [...(operation.parameters ?? []), { name: "trace", in: "query", schema: {} }];
    operation.deprecated = true;
    operation.responses[429] = { description: "", headers: { "Retry-After": { schema: {} } } };
    operation.responses[500] = { description: "" };
  });
  const first = 'each of 280 operations (such as `client.request("GET", "/public/v1/things/0")`)';
  expect(sentencesOf(exampleDocument(), former)).toEqual([`${first} is typed`]);
  expect(sentencesOf(former, later)).toEqual([
    'each of 283 operations (such as `client.request("POST", "/public/v1/apps")`) takes the query parameter `trace`',
    "the document describes the answers 429 and 500 of every operation",
    "answers of every operation may have the header `Retry-After`",
    `the answer of ${first} has \`total\``,
    "every operation is deprecated",
  ]);
});

test("a price that is stated as the only value of a field is told once", () => {
  const costing = (price: number) =>
    parse(
      changed(
        ({ components: { schemas } }) => (schemas.Credits.properties.cost = { type: "number", const: price }),
      ),
    );
  expect(classify(costing(10), costing(12)).changes.map(({ words }) => words)).toEqual([
    "a set costs 12 credits, no longer 10",
  ]);
});
