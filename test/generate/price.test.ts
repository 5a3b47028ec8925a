import { expect, test } from "vitest";
import { classify } from "../../scripts/classify/classify.js";
import { changed, type Document, generate, loadFiles } from "../helpers/generated-module.js";
import { workingCopy } from "./working-copy.js";

const price = (cost: object, description = "Plans a set.") =>
  changed(({ paths, components: { schemas } }: Document) => {
    schemas.Credits.properties.cost = { type: "integer", ...cost };
    paths["/public/v1/screenshots"].post.description = description;
  });

/** What a document says of the price, and what a set then costs; undefined where that is no statement. */
const statements: [what: string, document: Document, cost: number | undefined][] = [
  ["a constant", price({ const: 12, description: "See section 4.2 (10)." }, "It costs 11."), 12],
  ["a list of one value", price({ enum: [12] }), 12],
  ["one value or null", price({ type: ["integer", "null"], enum: [12, null] }), 12],
  ["one number in the field's description", price({ description: "12 credits." }, "It costs 11."), 12],
  ["a fraction", price({ description: "It is 8.5." }), 8.5],
  ["one number in the operation's description", price({}, "It costs 12 credits."), 12],
  ["the operation's, where the field's has several", price({ description: "4.2 (10)" }, "It costs 12."), 12],
  ["the same number twice", price({ description: "12 credits, always 12." }), 12],
  ["several values", price({ enum: [10, 20] }), undefined],
  ["several numbers", price({}, "See section 4.2 (10)."), undefined],
  ["a number with a thousands separator", price({}, "It costs 1,000 credits."), undefined],
  ["nothing that costs", price({ const: 0 }), undefined],
  ["no number", price({}), undefined],
];

test.each(statements)("a set costs what the document states: %s", async (_, document, cost) => {
  expect(loadFiles(await generate(document)).setCost).toBe(cost ?? 10);
});

test("a price that is stated anew as the only value of a field is told once; the same in other words is docs", () => {
  const { level, changes } = classify(price({ const: 10 }), price({ const: 12 }));
  expect([level, ...changes.map(({ words }) => words)]).toEqual([
    "breaking",
    "a set costs 12 credits, no longer 10",
  ]);
  const inProse = [price({}, "It costs 10 credits."), price({}, "It costs 10 credits each.")] as const;
  expect(classify(...inProse).level).toBe("docs");
});

test("where the document states no price, it stays as it was, and a line says so", async () => {
  const copy = workingCopy();
  for (const [name, code] of await generate(price({ const: 12 }))) copy.write(`src/generated/${name}`, code);

  const { out } = await copy.run(["--from", copy.documentFile(price({}, "See section 4.2 (10)."))]);

  expect(out).toContain(
    "price: the document does not state it in one number, so it stays as it was, 12 credits a set",
  );
  expect(copy.read("src/generated/values.ts")).toContain("setCost: number = 12;");
  expect(await copy.run(["--check"])).toEqual({ exitCode: 0, out: [], err: [] });
}, 120_000);
