import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { typeCheck } from "../../scripts/compile/type-check.js";
import { drawn } from "../helpers/draws.js";
import { changed, type Document, generate, loadFiles } from "../helpers/generated-module.js";
import { repository } from "../helpers/repository.js";
import { compile } from "./compile.js";
import { integer, refer, text } from "./schemas.js";

const typesFile = readFileSync(new URL("../../src/types.ts", import.meta.url), "utf8");

/** What the compiler says of code beside the generated types and the SDK's names for them. */
function problemsOf(files: Map<string, string>, code: string): string[] {
  const modules = new Map([
    ...[...files].map(([name, module]) => [`/sdk/generated/${name}`, module] as const),
    ["/sdk/types.ts", typesFile],
    ["/sdk/code.ts", code],
  ]);
  return compile("/sdk/code.ts", modules);
}

const digits = { ...text, pattern: "^[0-9]+$" };
const object = (properties: Document, required = Object.keys(properties)) => ({
  type: "object",
  required,
  properties,
});

/** Numbers that may come as text. */
const numbers: [what: string, schema: Document][] = [
  ["types, and a pattern of the text", { type: ["integer", "string"], pattern: "^-?(?:0|[1-9]\\d*)$" }],
  ["types, and a format of the number", { type: ["integer", "string", "null"], format: "int32" }],
  ["types alone", { type: ["integer", "string"] }],
  ["no type, but a format and a pattern", { format: "int32", pattern: "^-?(?:0|[1-9]\\d*)$" }],
  ["alternatives", { anyOf: [{ ...integer, minimum: 1, maximum: 10 }, digits] }],
  [
    "alternatives, the text first",
    { oneOf: [{ ...text, format: "int64" }, { type: "number" }], default: "5" },
  ],
  [
    "alternatives and null",
    {
      anyOf: [
        { type: "number" },
        { ...text, pattern: "^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$" },
        { type: "null" },
      ],
    },
  ],
  ["alternatives that may be null", { anyOf: [integer, digits], nullable: true }],
  ["alternatives within alternatives", { anyOf: [{ oneOf: [integer, digits] }, { type: "null" }] }],
  ["components", { anyOf: [refer("Amount"), refer("Digits")] }],
  ["a component", refer("Either")],
  ["a component with a note", { allOf: [refer("Either")], description: "How many." }],
  ["values", { enum: [1, 5, 10, "1", "5", "10"] }],
  ["any text", { anyOf: [text, integer] }],
];

const withNumber = (schema: Document) =>
  changed(({ components: { schemas } }) => {
    Object.assign(schemas, {
      Amount: integer,
      Digits: digits,
      Either: { anyOf: [refer("Amount"), refer("Digits")] },
    });
    schemas.CreateScreenshotsRequest.properties.count = schema;
    Object.assign(schemas.Credits.properties, { cost: schema, remaining: schema });
  });

/** Counts that are not described as a number. */
const counts: [what: string, schema: Document][] = [
  ["text of a number", { ...digits, default: "7" }],
  ["anything", {}],
  ["nothing", undefined],
];

const withCount = (schema: Document) =>
  changed(({ components }) => {
    const set = components.schemas.CreateScreenshotsRequest;
    set.properties.count = schema;
    if (schema === undefined) set.required = ["appId", "device"];
  });

test.each(counts)("a count is a number, where the document describes %s", async (_, schema) => {
  const code = `
    import type { CreateScreenshotsParams } from "./types.js";
    export const count = ({ count }: CreateScreenshotsParams): number | undefined => count;
  `;
  const files = await generate(withCount(schema));
  expect(problemsOf(files, code)).toEqual([]);
  expect(loadFiles(files).defaultCount).toBe(schema?.default ? 7 : 5);
});

test.each(numbers)("a number that may come as text is a number: %s", async (_, schema) => {
  const files = await generate(withNumber(schema));
  const code = `
    import type { CreateScreenshotsParams, Credits } from "./types.js";
    export const count = ({ count }: CreateScreenshotsParams): number | undefined => count;
    export const left = ({ cost, remaining }: Credits): (number | null)[] => [cost, remaining];
  `;
  expect(problemsOf(files, code)).toEqual([]);
  const { answers, defaultCount } = loadFiles(files);
  expect([typeof defaultCount, answers.createScreenshots]).toEqual([
    "number",
    { jobId: expect.any(String), credits: { cost: expect.any(Number), remaining: expect.any(Number) } },
  ]);
});

/** Unions of a number and a text that is more than its own. */
const unions: [what: string, schema: Document][] = [
  ["any text", { anyOf: [text, integer] }],
  ["a word", { anyOf: [integer, { const: "auto" }] }],
  ["text that begins with letters", { anyOf: [integer, { ...text, pattern: "^v\\d+$" }] }],
  ["an object", { anyOf: [integer, digits, object({ amount: integer })] }],
];

test.each(unions)("any other union stays one: a number or %s", async (_, schema) => {
  const document = changed(({ components }) => (components.schemas.App.properties.rating = schema));
  const code = `
    import type { App } from "./types.js";
    // @ts-expect-error it may be something else
    export const rating = ({ rating }: App): number | undefined => rating;
  `;
  expect(problemsOf(await generate(document), code)).toEqual([]);
});

/** Results of which the document says little or nothing. */
const results: [what: string, schema: Document][] = [
  ["nothing", {}],
  ["anything", true],
  ["nullable", { nullable: true }],
  ["described in words", { description: "The planned set." }],
  ["anything or null", { anyOf: [{}, { type: "null" }] }],
  ["an object", { type: ["object", "null"] }],
  ["an open object", { type: "object", additionalProperties: {}, nullable: true }],
  ["a component of which nothing is said", { allOf: [refer("Anything")], nullable: true }],
  ["fields of which nothing is said", object({ device: {}, slides: {} })],
  ["slides of which nothing is said", object({ slides: { type: "array", items: { nullable: true } } })],
];

const withResult = (schema: Document) =>
  changed(({ components: { schemas } }) => {
    schemas.Anything = {};
    schemas.Job.properties.result = schema;
  });

test.each(results)(
  "a result that is not described has the fields that the service gives: %s",
  async (_, schema) => {
    const code = `
    import type { JobResult } from "./types.js";
    export const slides = ({ slides }: JobResult): number => slides.map((slide): object => slide).length;
  `;
    expect(problemsOf(await generate(withResult(schema)), code)).toEqual([]);
  },
);

const Caption = object({ caption: text, place: integer }, ["caption"]);
const Image = object({ imageUrl: text, place: integer }, ["imageUrl"]);
const both = (more: Document) => [
  { ...Caption, ...more },
  { ...Image, ...more },
];

/** Slides of two kinds that differ by their fields. */
const kinds: [what: string, schema: Document][] = [
  ["inline", { anyOf: [Caption, Image] }],
  ["components", { anyOf: [refer("Caption"), refer("Image")] }],
  ["closed", { anyOf: both({ additionalProperties: false }) }],
  ["open", { anyOf: both({ additionalProperties: true }) }],
  ["open to anything", { anyOf: both({ additionalProperties: {} }) }],
  ["open to text", { anyOf: both({ additionalProperties: text }) }],
  ["one of them open", { oneOf: [{ ...Caption, additionalProperties: true }, Image] }],
  ["with others unevaluated", { anyOf: both({ unevaluatedProperties: {} }) }],
  ["with patterns", { anyOf: both({ patternProperties: { "^x-": {} } }) }],
  ["with a base", { anyOf: [{ allOf: [refer("Base"), Caption] }, { allOf: [refer("Base"), Image] }] }],
  [
    "with shared fields beside them",
    { ...object({ place: integer }), anyOf: [refer("Caption"), refer("Image")] },
  ],
  [
    "by what is required",
    {
      ...object({ caption: text, imageUrl: text }, []),
      anyOf: [{ required: ["caption"] }, { required: ["imageUrl"] }],
    },
  ],
  [
    "that forbid each other's field",
    {
      anyOf: [
        object({ caption: text, imageUrl: false }, ["caption"]),
        object({ imageUrl: text, caption: false }, ["imageUrl"]),
      ],
    },
  ],
  ["that require nothing", { anyOf: [object(Caption.properties, []), object(Image.properties, [])] }],
  ["of which one requires nothing", { anyOf: [object(Caption.properties, []), Image] }],
  ["nested", { anyOf: [{ anyOf: [Caption] }, { oneOf: [Image] }] }],
];

const withKinds = (schema: Document) =>
  changed(({ components: { schemas } }) => {
    Object.assign(schemas, { Caption, Image, Base: object({ place: integer }) });
    schemas.Job.properties.result.properties.slides.items = schema;
  });

test.each(kinds)("a slide's kind is told by a field: %s", async (_, schema) => {
  const code = `
    import type { Slide } from "./types.js";
    export const shown = (slide: Slide): string | undefined => ("caption" in slide ? slide.caption : slide.imageUrl);
  `;
  expect(problemsOf(await generate(withKinds(schema)), code)).toEqual([]);
});

test("alternatives have the fields that stand beside them", async () => {
  const beside = { ...object({ place: integer }), anyOf: [Caption, Image] };
  const document = changed(({ components: { schemas } }) => (schemas.App.properties.cover = beside));
  const code = `
    import type { App } from "./types.js";
    type Cover = NonNullable<App["cover"]>;
    export const placeOf = (cover: Cover): number | undefined => cover.place;
    export const shown = (cover: Cover): string => ("caption" in cover ? cover.caption : cover.imageUrl);
  `;
  expect(problemsOf(await generate(document), code)).toEqual([]);
});

const all = [
  ...numbers.map(([what, schema]) => [`a number as ${what}`, withNumber(schema)] as const),
  ...counts.map(([what, schema]) => [`a count as ${what}`, withCount(schema)] as const),
  ...results.map(([what, schema]) => [`a result of ${what}`, withResult(schema)] as const),
  ...kinds.map(([what, schema]) => [`kinds that are ${what}`, withKinds(schema)] as const),
];

/** Many idioms come to the same modules, which need to be compiled once. */
const compiled = new Set<string>();

test.each(drawn(all))("the SDK compiles with %s", async (_, document) => {
  const files = await generate(document);
  const modules = [...files.values()].join();
  if (!compiled.has(modules)) expect(() => typeCheck(repository, files)).not.toThrow();
  compiled.add(modules);
});
