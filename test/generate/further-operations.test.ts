import fc from "fast-check";
import { expect, test } from "vitest";
import { normalise } from "../../scripts/normalise/normalise.js";
import { quoted } from "../../scripts/refusal.js";
import { parseDocument } from "../../scripts/vet/parse-document.js";
import { draws } from "../helpers/draws.js";
import { changed, type Document, generate, loadFiles } from "../helpers/generated-module.js";
import { workingCopy } from "./working-copy.js";

/** Has a meaning in code, turns the direction of writing around, or moves a terminal's cursor. */
const odd = "*/ \u0024{x} \" ' \\ \u2028 \u202e \u001b[31m \r";

/** A value of each kind that JSON has, where another is expected. */
const senseless = [7, true, null, [], {}, odd];

const schemas = [
  { type: "object", required: ["next"], properties: { next: { $ref: "#/components/schemas/Node" } } },
  { enum: [{ a: [1, odd] }, null, -1] },
  { const: odd, default: odd, example: odd, title: odd, description: odd },
  { type: "object", properties: { [odd]: { type: "string" } }, required: [odd] },
  { type: "object", additionalProperties: { type: ["integer", "null"] }, patternProperties: { "^x": {} } },
  {
    oneOf: [{ $ref: "#/components/schemas/Node" }, { type: "null" }],
    discriminator: { propertyName: "kind" },
  },
  { type: "array", prefixItems: [{ type: "string" }, {}], items: false },
  { type: "file" },
  { $ref: "#/components/schemas/Nobody" },
  { $ref: "#/components/schemas/Itself" },
  { $ref: "#/components/schemas/A%22%5D%3B%20evil()" },
  { allOf: [] },
  { properties: [] },
  { type: "object", properties: { text: "string", length: { minLength: "3", pattern: 7 } } },
  ...senseless,
];

const names = ["locale", "filter[name]", "$top", "page.size", "user's", "job id", ...senseless];
const mediaTypes = [
  ...[
    "application/json",
    "application/json; charset=utf-8",
    'application/json;profile="https://example.com/a"',
  ],
  ...[
    "application/vnd.api+json; ext=bulk",
    "*/*",
    "multipart/form-data",
    "text",
    "application/json; v='1'",
    odd,
  ],
];
const paths = [
  ...[
    "/{id}",
    "/{proxy+}",
    "/{*path}",
    "/{name=projects/*}:cancel",
    "/{job id}",
    "/{id:int}",
    "/{path*}",
    "/{.id}",
  ],
  ...["", "/", "/{id", "/%zz", "/a b", "/\u00e9", `/${odd}`],
];
const places = ["query", "path", "header", "cookie", "querystring", "body", "formData", ...senseless];
const methods = "get put post delete options head patch trace query x-get copy".split(" ");

const oneOf = <Value>(values: readonly Value[]) => fc.constantFrom(...values);
const json = fc.record({ schema: oneOf<unknown>(schemas) });
const content = fc.oneof(fc.dictionary(oneOf(mediaTypes), json, { maxKeys: 2 }), oneOf<unknown>(senseless));
const parameter = fc.record(
  {
    name: oneOf<unknown>(names),
    in: oneOf<unknown>(places),
    schema: oneOf<unknown>(schemas),
    content,
    style: oneOf<unknown>(["form", "deepObject", ...senseless]),
    explode: oneOf<unknown>([true, ...senseless]),
    required: oneOf<unknown>([true, ...senseless]),
    description: oneOf<unknown>(["A note.", ...senseless]),
  },
  { requiredKeys: ["name", "in"] },
);
const message = fc.record(
  {
    content,
    headers: fc.dictionary(oneOf(["X-Page", odd]), json, { maxKeys: 1 }),
    description: oneOf<unknown>(senseless),
  },
  { requiredKeys: [] },
);
const elsewhere = fc.constantFrom(
  { $ref: "#/components/responses/Nobody" },
  { $ref: "#/components/responses/Itself" },
);
const operation = fc.record(
  {
    operationId: oneOf<unknown>(["listFiles", "getJob", "Get user's files", "a#b", "a/b", ...senseless]),
    summary: oneOf<unknown>(["Files.", ...senseless]),
    deprecated: oneOf<unknown>([true, ...senseless]),
    parameters: fc.oneof(
      fc.array(fc.oneof(parameter, elsewhere), { maxLength: 3 }),
      oneOf<unknown>(senseless),
    ),
    requestBody: fc.oneof(message, elsewhere, oneOf<unknown>(senseless)),
    responses: fc.dictionary(oneOf(["200", "2XX", "default", "99", odd]), fc.oneof(message, elsewhere), {
      maxKeys: 2,
    }),
    callbacks: fc.constant({ again: { $ref: "#/components/pathItems/Again" } }),
  },
  { requiredKeys: [] },
);
const item = fc.dictionary(
  oneOf(methods),
  fc.oneof({ weight: 9, arbitrary: operation }, oneOf<unknown>(senseless)),
  {
    minKeys: 1,
    maxKeys: 2,
  },
);
const further = fc.record({ path: oneOf(paths), item });

/** The document with these path items, each below a folder of its own. */
const documentWith = (items: { path: string; item: Document }[]) =>
  changed((document) => {
    const { schemas, responses } = document.components;
    schemas.Device.enum.push(odd);
    schemas.App.properties[odd] = { type: "string", description: odd };
    schemas.Node = { type: "object", properties: { parent: { $ref: "#/components/schemas/Node" } } };
    schemas.Itself = { $ref: "#/components/schemas/Itself" };
    schemas['A"]; evil()'] = { type: "string" };
    responses.Itself = { $ref: "#/components/responses/Itself" };
    document.components.pathItems = {
      Again: { get: { callbacks: { again: { $ref: "#/components/pathItems/Again" } } } },
    };
    document.paths["/nobody"] = { $ref: "#/components/pathItems/Nobody" };
    items.forEach(({ path, item }, index) => {
      const { copy, ...others } = item;
      const additionalOperations = { COPY: copy };
      document.paths[`/further${index}${path}`] = "copy" in item ? { ...others, additionalOperations } : item;
    });
    document.webhooks = { ended: { $ref: "#/components/pathItems/Nobody" } };
  });

test("what the SDK does not call never makes a document be refused: what cannot be taken in is left out, with a line", async () => {
  const copy = workingCopy();
  const drawn = fc.sample(further, draws(120)) as { path: string; item: Document }[];
  const { exitCode, out, err } = await copy.run(["--from", copy.documentFile(documentWith(drawn))]);

  // The command has compiled the SDK.
  expect([exitCode, err]).toEqual([0, []]);
  const files = ["openapi.ts", "operations.ts", "samples.ts", "values.ts"].map((name) => {
    return [name, copy.read(`src/generated/${name}`)] as const;
  });
  const { operations } = loadFiles(new Map(files));
  expect(operations.slice(0, 3).map(({ name }) => name)).toEqual([
    "createApp",
    "createScreenshots",
    "getJob",
  ]);
  const told = out.filter((line) => line.startsWith("left out: "));
  const labels = drawn.flatMap(({ path, item }, index) =>
    Object.keys(item).map((method) => [method.toUpperCase(), `/further${index}${path}`] as const),
  );
  const untold = labels.filter(([method, path]) => {
    const isTaken = operations.some((one) => one.method === method && one.path === path);
    const label = quoted(`${method} ${path}`).slice(1, -1);
    return !isTaken && !method.startsWith("X-") && !told.some((line) => line.includes(label));
  });
  expect(untold).toEqual([]);
  expect(told.join("\n")).not.toContain("every further operation");
  const written = out.filter((line) => line.startsWith("wrote ")).map((line) => copy.read(line.slice(6)));
  expect([...written, ...out].join("\n")).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
}, 300_000);

const responses = { 200: { description: "" } };
const getting = (more: object) => ({ get: { responses, ...more } });
const inPath = (name: string) =>
  getting({ parameters: [{ name, in: "path", required: true, schema: { type: "string" } }] });
const answering = (type: string, schema: object) =>
  getting({ responses: { 200: { description: "", content: { [type]: { schema } } } } });

/** Path items of a document, with what is left out of them. */
const items: [path: string, item: Document, leftOut: string[]][] = [
  ["/files/{proxy+}", inPath("proxy"), ["GET /files/{proxy+}"]],
  ["/files/{*path}", inPath("path"), ["GET /files/{*path}"]],
  ["/v1/{name=projects/*}:cancel", inPath("name"), ["GET /v1/{name=projects/*}:cancel"]],
  ["/files/{job id}", inPath("job id"), ["GET /files/{job id}"]],
  ["/files/{id:int}", inPath("id"), ["GET /files/{id:int}"]],
  ["/files/{id}", inPath("id"), []],
  ["/files", getting({ operationId: "Get user's files" }), ["GET /files operationId"]],
  ["/files", getting({ parameters: [{ name: "all", in: "querystring" }] }), ["GET /files parameters 0 in"]],
  ["/files", getting({ parameters: [{ name: 1, in: "querystring" }] }), ["GET /files parameters 0 name"]],
  ["/files", { query: { responses } }, ["QUERY /files"]],
  ["/files", { additionalOperations: { COPY: { responses } } }, ["COPY /files"]],
  ["/files", { get: "files" }, ["GET /files"]],
  ["/files", { $ref: "#/components/pathItems/Nobody" }, ["ANY METHOD /files"]],
  ["/files", getting({ responses: { 200: { $ref: "#/nobody" } } }), ["GET /files responses 200"]],
  ["/files", answering('application/json; profile="https://example.com/a"', {}), []],
  ["/files", answering("json", {}), ["GET /files responses 200 content json"]],
  [
    "/files",
    answering("application/json", { type: "file" }),
    ["#/paths/~1files/get/responses/200/content/application~1json/schema"],
  ],
  ["/public/v1/jobs/{jobId}", { delete: { responses } }, ["DELETE /public/v1/jobs/{jobId}"]],
];

test.each(items)("of %s, what no types can be made of is left out: %j", (path, item, expected) => {
  const document = changed(({ paths }) => {
    paths[path] = item;
    paths["/public/v1/jobs/{id}"].delete = { responses };
  });
  const leftOut: string[] = [];
  normalise(parseDocument(JSON.stringify(document)), (part) => leftOut.push(part));
  expect(leftOut).toEqual(expected);
});

test("an answer of the SDK's may refer to a part of an operation that is left out", async () => {
  const document = changed(({ paths, components: { schemas } }) => {
    const rating = { type: "number" };
    paths["/files/{proxy+}"] = answering("application/json", { type: "object", properties: { rating } });
    const pointer = "#/paths/~1files~1%7Bproxy+%7D/get/responses/200/content/application~1json/schema";
    schemas.App.properties.rating = { $ref: `${pointer}/properties/rating` };
  });
  const types = (await generate(document)).get("openapi.ts");
  expect(types).toMatch(/rating\?: components\["schemas"\]\["[^"]+"\]/);
  expect(types).toMatch(/properties_rating_1: number/);
});

/** A further operation with a schema that doubles whenever it is written out. */
const doubling = changed(({ paths, components: { schemas } }) => {
  schemas.Twice0 = { type: "object" };
  for (let index = 1; index <= 30; index++) {
    const part = { $ref: `#/components/schemas/Twice${index - 1}` };
    const field = { allOf: [part, { type: "object", title: "T", minProperties: 0 }] };
    schemas[`Twice${index}`] = { type: "object", properties: { one: field, other: field } };
  }
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Twice30" } } };
  paths["/further"] = { get: { responses: { 200: { description: "", content } } } };
});

test("further operations that are too complex together are all left out", () => {
  const leftOut: string[] = [];
  const { paths } = normalise(parseDocument(JSON.stringify(doubling)), (part) => leftOut.push(part));
  expect(Object.keys(paths as object)).not.toContain("/further");
  expect(leftOut).toEqual(["every further operation"]);
});

test("names of operations, fields and values may be any: all compiles, and the check agrees", async () => {
  const copy = workingCopy();
  const ids = [
    ..."createApp getJob toString constructor class operations 1st a|b".split(" "),
    "a b!",
    "",
    odd,
  ];
  const names = [
    "a|b",
    "a'b",
    'a"b',
    "a\nb",
    "<b>x</b>",
    "a`b",
    "a b",
    "*/",
    "|",
    "constructor",
    "ü",
    "[x](y)",
    odd,
  ];
  const document = changed(({ paths, components: { schemas } }) => {
    const responses = { 200: { description: "" } };
    for (const [index, operationId] of ids.entries())
      paths[`/odd/${index}`] = { get: { operationId, responses } };
    paths["/odd/none"] = { get: { responses } };
    const described = { type: "string", description: odd };
    for (const name of names) {
      schemas.CreateScreenshotsRequest.properties[name] = described;
      schemas.App.properties[name] = described;
    }
    schemas.CreateScreenshotsRequest.properties.captionLength.enum.push(...names);
  });

  const { exitCode, err, out } = await copy.run(["--from", copy.documentFile(document)]);

  expect([exitCode, err]).toEqual([0, []]);
  expect(out).toContain("to do: README.md: what `<b>x</b>` is");
  expect(await copy.run(["--check"])).toEqual({ exitCode: 0, out: [], err: [] });
}, 120_000);

const megabyte = (part: string) => part.repeat(1_000_000 / part.length);

/** Places of long texts. A way through them that took time in proportion to their square would not end. */
const long: [what: string, change: (document: Document) => void][] = [
  [
    "a pattern",
    ({ components }) => (components.schemas.CreateAppRequest.properties.iosUrl.pattern = megabyte("[")),
  ],
  [
    "a pattern with flags",
    ({ components }) => (components.schemas.CreateAppRequest.properties.iosUrl.pattern = megabyte("(?i")),
  ],
  [
    "a pattern with names",
    ({ components }) => (components.schemas.CreateAppRequest.properties.iosUrl.pattern = megabyte("(?<a>b)")),
  ],
  [
    "a price",
    ({ components }) =>
      (components.schemas.Credits.properties.cost.description =
        megabyte("1") + megabyte(" 1,") + megabyte("ends a ")),
  ],
  ["a server", (document) => (document.servers = [{ url: `https://example.com${megabyte("/")}a` }])],
  [
    "a media type",
    ({ paths }) =>
      (paths["/a"] = { get: { responses: { 200: { content: { [`a/b;c=${megabyte(" ")}!`]: {} } } } } }),
  ],
  [
    "a thousand schemas that each refer to the next",
    ({ paths, components: { schemas } }) => {
      for (let index = 0; index < 1000; index++) {
        schemas[`Link${index}`] = {
          type: "object",
          properties: { next: { $ref: `#/components/schemas/Link${index + 1}` } },
        };
        const content = { "application/json": { schema: { $ref: `#/components/schemas/Link${index}` } } };
        paths[`/links/${index}`] = { get: { responses: { 200: { description: "", content } } } };
      }
      schemas.Link1000 = { type: "object" };
    },
  ],
];

test.each(long)("the time for a document is in proportion to its size: %s", async (_, change) => {
  await expect(generate(changed(change))).resolves.toHaveProperty("size", 4);
});
