import { expect, test } from "vitest";
import { classify } from "../../scripts/classify/classify.js";
import { collect } from "../helpers/collect.js";
import { changed, type Document, generate, load, loadFiles } from "../helpers/generated-module.js";
import { sdkOf } from "./sdk-of.js";
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
  ["one number beside a device", price({ description: "12 credits for iPads." }), undefined],
  ["a number and the name of a device", price({}, "It costs 12 credits, for ipad-pro too."), undefined],
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

const inWords = (credits: string) => price({ description: credits }, `It costs ${credits}.`);
const valuesOf = (cost: number) => `export const setCost: number = ${cost};`;
const unread = "no single price of a set can be read from the document";

/** Two documents, the price before the second one if it is not 10, and every sentence that users read. */
const changesOfPrice: [
  what: string,
  before: Document,
  after: Document,
  values: string | undefined,
  words: string[],
][] = [
  [
    "is not stated any more",
    inWords("10 credits"),
    price({}),
    undefined,
    [`${unread} any more: \`setCost\` takes it to be 10 credits`],
  ],
  [
    "has a thousands separator",
    inWords("10 credits"),
    inWords("1,000 credits"),
    undefined,
    [`${unread} any more: \`setCost\` takes it to be 10 credits`],
  ],
  [
    "is not stated any more after another one that was not released",
    inWords("10 credits"),
    price({}),
    valuesOf(12),
    ["`setCost` is 12, no longer 10", `${unread} any more: \`setCost\` takes it to be 12 credits`],
  ],
  [
    "is no value of its field any more",
    price({ const: 10 }),
    price({}),
    undefined,
    [
      "`credits.cost` of the answer of `screenshots.create` may be any value",
      `${unread} any more: \`setCost\` takes it to be 10 credits`,
    ],
  ],
  ["is stated as it was taken to be", price({}), inWords("12 credits"), valuesOf(12), []],
  [
    "is stated otherwise than it was taken to be",
    price({}),
    inWords("15 credits"),
    valuesOf(12),
    ["`setCost` is 15, no longer 12"],
  ],
  [
    "is another one in the field alone",
    inWords("10 credits"),
    price({ description: "12 credits" }, "It costs 10 credits."),
    undefined,
    [
      "`setCost` is 12, no longer 10",
      "the document tells the price of a set with several numbers (`10` and `12`): `setCost` is one price, and each acceptance says what it did cost",
    ],
  ],
];

test.each(changesOfPrice)("users are told of a price that %s", (_, before, after, values, words) => {
  const { changes } = classify(before, after, [], values);
  expect(changes.map((change) => change.words)).toEqual(words);
});

test("a further type of the field that tells the price is told, where the price is stated too", () => {
  const cost = { type: ["integer", "boolean"], description: "10." };
  const { changes } = classify(price({ description: "10." }), price(cost));
  expect(changes.map(({ words }) => words)).toEqual([
    "`credits.cost` of the answer of `screenshots.create` may also be a boolean",
  ]);
});

/** What a document says of a price that is not one, how the changelog tells it, and what a budget counts. */
const severalPrices: [what: string, document: Document, told: string, highest: number][] = [
  [
    "several numbers",
    price({ description: "12 credits from June on, 10 before." }),
    "with several numbers (`10` and `12`)",
    12,
  ],
  ["a list of values", price({ enum: [20, 10] }), "with several numbers (`10` and `20`)", 20],
  [
    "numbers in two places",
    price({ description: "10." }, "It costs 12 credits."),
    "with several numbers (`10` and `12`)",
    12,
  ],
  ["a value of `device`", price({}, "It costs 12 credits for iphone-69."), "by device (`12`)", 12],
  ["a word of a device", price({}, "It costs 12 credits for iPads, 9 else."), "by device (`9` and `12`)", 12],
];

test.each(severalPrices)(
  "a price that is told by %s is left to a person, and a budget counts the highest",
  async (_, document, told, highest) => {
    const { level, changes } = classify(price({ const: 10 }), document);
    const words = `the document tells the price of a set ${told}: \`setCost\` is one price, and each acceptance says what it did cost`;
    expect([level, changes.find((one) => one.words === words)?.todo]).toEqual([
      "breaking",
      expect.stringContaining("`setCost`, README.md and the mock keep one price"),
    ]);
    expect(loadFiles(await generate(document)).highestSetCost).toBe(highest);
    expect(classify(document, { ...document, info: { ...document.info, title: "Another" } }).changes).toEqual(
      [],
    );
  },
);

test.each([
  [
    "of something else",
    price({ description: "10 credits" }, "It costs 10 credits within 30 seconds, for up to 8 slides."),
  ],
  [
    "of a section that tells no price",
    price({ description: "10 credits" }, "See section 4.2. It costs 10 credits."),
  ],
  ["beside a constant", price({ const: 10, description: "See section 4.2." })],
])("a number %s is no price", async (_, document) => {
  expect(classify(price({ const: 10 }), document).changes).toEqual([]);
  expect(loadFiles(await generate(document)).highestSetCost).toBe(10);
});

test.each([
  ["a number that is always the same", { type: "number", const: 10 }],
  ["a list of one value", { enum: [10] }],
])("a price that is said as %s has not changed", (_, cost) => {
  const stated = price({ description: "10 credits" });
  for (const pair of [
    [stated, price(cost)],
    [price(cost), stated],
  ] as const) {
    expect(classify(...pair).changes).toEqual([]);
  }
});

test.each([
  [21, "skipped"],
  [22, "succeeded"],
])("a budget of %i, where the document names 10 and 12 credits, leaves a second set %s", async (...row) => {
  const [maxCredits, status] = row;
  const document = price({}, "It costs 12 credits for iPads, 10 else.");
  const { ScreenshotSets, createMock, runBatch } = await sdkOf(await load(document));
  const client = new ScreenshotSets(createMock().clientOptions);
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
  const sets = { phone: { appId, device: "iphone-69" }, pad: { appId, device: "ipad-pro" } } as const;
  const ends = await collect(runBatch(client, { sets, maxCredits, concurrency: 1 }));
  expect(ends.map((end) => end.status)).toEqual(["succeeded", status]);
});

test("where the document states no price, it stays as it was, and a line says so", async () => {
  const copy = workingCopy();
  for (const [name, code] of await generate(price({ const: 12 }))) copy.write(`src/generated/${name}`, code);

  const { out } = await copy.run(["--from", copy.documentFile(price({}, "See section 4.2 (10)."))]);

  expect(out).toContain(
    "price: the document does not state it in one number, so it stays as it was, 12 credits a set",
  );
  expect(copy.read("src/generated/values.ts")).toContain(
    "/** What a screenshot set is taken to cost, in credits: 12, as no single price can be read from the document. An acceptance says what it did cost. */\nexport const setCost: number = 12;",
  );
  expect(await copy.run(["--check"])).toEqual({ exitCode: 0, out: [], err: [] });
}, 120_000);
