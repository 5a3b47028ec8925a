import { afterAll, beforeAll, expect, test } from "vitest";
import { changed, type Document, exampleDocument } from "../helpers/generated-module.js";
import { type WorkingCopy, workingCopy } from "../helpers/working-copy.js";

const text = JSON.stringify(exampleDocument());
const edited = (change: (document: Document) => void) => JSON.stringify(changed(change));
const component = (schema: unknown) => edited(({ components }) => (components.schemas.Extra = schema));
const put = (pattern: string, replacement: string) => text.replace(pattern, () => replacement);
const post = "#/paths/~1public~1v1~1apps/post";

/** Moves every path, so that the operations are there and not where the SDK looks for them. */
function moved(to: (path: string) => string, servers?: object[]): string {
  return edited((document) => {
    const paths = Object.entries(document.paths);
    document.paths = Object.fromEntries(paths.map(([path, item]) => [to(path), item]));
    document.servers = servers ?? document.servers;
  });
}

/** Schemas that are each composed of the one before, twice. */
function doubling(keyword: string): string {
  return edited(({ components: { schemas } }) => {
    schemas.Twice0 = { type: "object" };
    for (let index = 1; index <= 40; index++) {
      const part = { $ref: `#/components/schemas/Twice${index - 1}` };
      schemas[`Twice${index}`] = { [keyword]: [part, part] };
    }
  });
}

/** Headers that each refer to the one before, twice, from one of an answer. */
function doublingHeaders(): string {
  return edited(({ components, paths }) => {
    components.headers = { Twice0: { schema: { type: "string" } } };
    for (let index = 1; index <= 30; index++) {
      const part = { $ref: `#/components/headers/Twice${index - 1}` };
      components.headers[`Twice${index}`] = {
        content: { "text/plain": { encoding: { a: { headers: { one: part, other: part } } } } },
      };
    }
    paths["/public/v1/apps"].post.responses[200].headers = {
      Twice: { $ref: "#/components/headers/Twice30" },
    };
  });
}

/** Schemas whose two fields are each composed of the one before. */
function doublingFields(): string {
  return edited(({ components: { schemas } }) => {
    schemas.Twice0 = { type: "object" };
    for (let index = 1; index <= 30; index++) {
      const part = {
        allOf: [
          { $ref: `#/components/schemas/Twice${index - 1}` },
          { type: "object", title: "T", minProperties: 0 },
        ],
      };
      schemas[`Twice${index}`] = { type: "object", properties: { one: part, other: part } };
    }
  });
}

const refused: [what: string, code: string, document: string | Uint8Array][] = [
  ["nothing", "not-json", ""],
  ["a page of HTML", "not-json", "<!doctype html><title>Sign in</title>"],
  ["YAML", "not-json", "openapi: 3.1.0\npaths: {}\n"],
  ["a document that is cut off", "not-json", text.slice(0, -100)],
  ["two documents", "not-json", text + text],
  [
    "bytes that are no UTF-8",
    "not-utf-8",
    Buffer.concat([Buffer.from('{"openapi":"'), Buffer.from([0xff]), Buffer.from('"}')]),
  ],
  ["half of a surrogate pair", "not-unicode", put("Device", "\\ud83d")],
  ["a number beyond all numbers", "number-range", put('"maxLength":2000', '"maxLength":2e999')],
  ["a key that is there twice", "duplicate-key", put('"paths":', '"paths":{},"paths":')],
  [
    "a key that is there twice, spelt in another way",
    "duplicate-key",
    put('"maxLength":', '"max\\u004cength":1,"maxLength":'),
  ],
  ["a key `__proto__`", "proto-key", put('"paths":', '"__proto__":{},"paths":')],
  ["a key `__proto__`, spelt in another way", "proto-key", put('"maxLength":2000', '"\\u005f_proto__":2000')],
  ["200 levels", "too-deep", component({ example: JSON.parse("[".repeat(200) + "]".repeat(200)) })],
  ["a million levels", "too-deep", "[".repeat(1e6) + "]".repeat(1e6)],
  ["50 MB", "too-large", `${text}${" ".repeat(50 * 1024 * 1024)}`],
  ["a list", "not-openapi", "[]"],
  ["null", "not-openapi", "null"],
  ["an empty object", "not-openapi", "{}"],
  ["Swagger 2.0", "not-openapi", put('"openapi":"3.1.0"', '"swagger":"2.0"')],
  ["a version of OpenAPI that is not known", "not-openapi", put('"openapi":"3.1.0"', '"openapi":"3.3.0"')],
  ["no paths", "malformed", edited((document) => delete document.paths)],
  ["paths in a list", "malformed", edited((document) => (document.paths = []))],
  [
    "an operation that is a string",
    "missing-operation",
    edited(({ paths }) => (paths["/public/v1/apps"].post = "create")),
  ],
  ["responses in a list", "malformed", edited(({ paths }) => (paths["/public/v1/apps"].post.responses = []))],
  [
    "parameters in an object",
    "malformed",
    edited(({ paths }) => (paths["/public/v1/jobs/{id}"].get.parameters = {})),
  ],
  [
    "a parameter without a name",
    "malformed",
    edited(({ paths }) => delete paths["/public/v1/jobs/{id}"].get.parameters[0].name),
  ],
  ["a schema that is a string", "malformed", component("string")],
  ["properties in a list", "malformed", component({ properties: [] })],
  ["`required` as a flag", "malformed", component({ type: "string", required: true })],
  ["a type that JSON does not have", "malformed", component({ type: "file" })],
  ["no value to choose from", "malformed", component({ enum: [] })],
  ["a length below zero", "malformed", component({ type: "string", minLength: -1 })],
  ["a limit in words", "malformed", component({ type: "integer", maximum: "ten" })],
  ["`allOf` of nothing", "malformed", component({ allOf: [] })],
  [
    "a length in words where only a reference makes a schema of data",
    "malformed",
    edited(({ components }) => {
      components.schemas.Extra = { default: { name: { type: "string", minLength: "1); evil(" } } };
      const $ref = "#/components/schemas/Extra/default/name";
      components.schemas.CreateAppRequest.properties.extraContext = { $ref };
    }),
  ],
  [
    "a reference to another server",
    "outside-reference",
    component({ $ref: "https://elsewhere.test/schema.json#/App" }),
  ],
  ["a reference to a file", "outside-reference", component({ $ref: "file:///etc/passwd" })],
  ["a reference to a file beside it", "outside-reference", component({ $ref: "../package.json#/name" })],
  [
    "a mapping to another server",
    "outside-reference",
    component({ discriminator: { propertyName: "kind", mapping: { a: "https://elsewhere.test/a.json" } } }),
  ],
  [
    "a mapping to nothing",
    "dangling-reference",
    component({ discriminator: { propertyName: "kind", mapping: { a: "#/components/schemas/Nobody" } } }),
  ],
  ["a reference to nothing", "dangling-reference", component({ $ref: "#/components/schemas/Nobody" })],
  [
    "a reference to what every object inherits",
    "dangling-reference",
    component({ $ref: "#/components/constructor" }),
  ],
  ["a reference that is badly encoded", "dangling-reference", component({ $ref: "#/components/%zz" })],
  ["a reference to itself", "circular-reference", component({ $ref: "#/components/schemas/Extra" })],
  [
    "references in a circle",
    "circular-reference",
    edited(({ components: { schemas } }) => {
      schemas.First = { $ref: "#/components/schemas/Second" };
      schemas.Second = { $ref: "#/components/schemas/First" };
    }),
  ],
  [
    "a schema that is composed of itself",
    "circular-reference",
    component({ allOf: [{ anyOf: [{ $ref: "#/components/schemas/Extra" }] }] }),
  ],
  [
    "an operation that holds itself",
    "circular-reference",
    edited(({ paths }) => (paths["/public/v1/apps"].post.callbacks = { again: { $ref: post } })),
  ],
  ["schemas that double in each of 40 steps", "too-complex", doubling("allOf")],
  ["alternatives that double in each of 40 steps", "too-complex", doubling("oneOf")],
  ["headers that each lead twice to the one before", "too-complex", doublingHeaders()],
  ["fields that are each composed of the one before, twice", "too-complex", doublingFields()],
  ["no operation at all", "missing-operation", edited((document) => (document.paths = {}))],
  ["no createApp", "missing-operation", edited(({ paths }) => delete paths["/public/v1/apps"])],
  [
    "no createScreenshots",
    "missing-operation",
    edited(({ paths }) => delete paths["/public/v1/screenshots"].post),
  ],
  ["no getJob", "missing-operation", edited(({ paths }) => delete paths["/public/v1/jobs/{id}"])],
  [
    "createApp under another method",
    "missing-operation",
    edited(({ paths }) => (paths["/public/v1/apps"] = { put: paths["/public/v1/apps"].post })),
  ],
  ["paths of another version", "missing-operation", moved((path) => path.replace("v1", "v2"))],
  ["paths below a prefix that no server has", "missing-operation", moved((path) => `/other${path}`)],
  [
    "paths below another prefix than the server's",
    "missing-operation",
    moved((path) => `/other${path}`, [{ url: "https://api.test/base" }]),
  ],
  [
    "one of the operations below another prefix than the rest",
    "missing-operation",
    edited(({ paths }) => {
      paths["/api/v1/public/v1/apps"] = paths["/public/v1/apps"];
      delete paths["/public/v1/apps"];
    }),
  ],
  [
    "the same method of a job's path twice",
    "duplicate-path",
    edited(({ paths }) => (paths["/public/v1/jobs/{jobId}"] = paths["/public/v1/jobs/{id}"])),
  ],
  [
    "createApp without a body",
    "missing-body",
    edited(({ paths }) => delete paths["/public/v1/apps"].post.requestBody),
  ],
  [
    "createScreenshots with a body of XML",
    "missing-body",
    edited(
      ({ paths }) => (paths["/public/v1/screenshots"].post.requestBody.content = { "application/xml": {} }),
    ),
  ],
  [
    "getJob without an answer",
    "missing-answer",
    edited(({ paths }) => delete paths["/public/v1/jobs/{id}"].get.responses[200]),
  ],
  [
    "createApp with an answer of HTML",
    "missing-answer",
    edited(({ paths }) => (paths["/public/v1/apps"].post.responses[200].content = { "text/html": {} })),
  ],
  [
    "a component whose name is code",
    "unsafe-name",
    edited(({ components }) => (components.schemas['A"]; evil(); //'] = {})),
  ],
  ["a path that is code", "unsafe-name", edited(({ paths }) => (paths["/x`$\u007bevil()}`"] = { get: {} }))],
  [
    "a path that ends a comment",
    "unsafe-name",
    edited(({ paths }) => (paths["/*/ evil(); /*"] = { get: {} })),
  ],
  [
    "an operation id that is code",
    "unsafe-name",
    edited(({ paths }) => (paths["/x"] = { get: { operationId: '"); evil(("' } })),
  ],
  [
    "an operation id of two lines",
    "unsafe-name",
    edited(({ paths }) => (paths["/x"] = { get: { operationId: "a\n::set-output name=x::y" } })),
  ],
  [
    "a parameter whose name is code",
    "unsafe-name",
    edited(({ paths }) => (paths["/public/v1/jobs/{id}"].get.parameters[0].name = "'+evil()+'")),
  ],
  [
    "a media type that is code",
    "unsafe-name",
    edited(({ paths }) => (paths["/public/v1/apps"].post.responses[200].content['"];evil()'] = {})),
  ],
  [
    "a status that is code",
    "unsafe-name",
    edited(({ paths }) => (paths["/public/v1/apps"].post.responses["200; evil()"] = { description: "" })),
  ],
  [
    "a job id that is no string",
    "does-not-compile",
    edited(({ components }) => (components.schemas.AcceptedJob.properties.jobId = { type: "integer" })),
  ],
];

const requiring = (parameter: object) =>
  edited(
    ({ paths }) => (paths["/public/v1/screenshots"].post.parameters = [{ required: true, ...parameter }]),
  );

/** Documents whose fault is named: what the refusal says of it. */
const named: [what: string, words: string, document: string][] = [
  [
    "an operation that is nearly there",
    'it lacks createApp (POST /public/v1/apps); the nearest that it has is "POST /public/v1/app"',
    edited(({ paths }) => {
      paths["/public/v1/app"] = paths["/public/v1/apps"];
      delete paths["/public/v1/apps"];
    }),
  ],
  [
    "a header that nobody can give",
    'requires the header parameter "X-Tenant", which the SDK cannot give',
    requiring({ name: "X-Tenant", in: "header", schema: { type: "string" } }),
  ],
  [
    "a query that no method takes",
    'requires the query parameter "mode", which the SDK cannot give',
    requiring({ name: "mode", in: "query", schema: { type: "string" } }),
  ],
  [
    "a job id that is a number",
    "the answer of createScreenshots has `jobId` as integer, not as string",
    edited(({ components }) => (components.schemas.AcceptedJob.properties.jobId = { type: "integer" })),
  ],
  [
    "slides that are left out",
    "the answer of getJob leaves out `result.slides`",
    edited(({ components }) => delete components.schemas.Job.properties.result.properties.slides),
  ],
  [
    "an app in an envelope",
    'the answer of createApp leaves out `appId`, or wraps it in "data"',
    edited(
      ({ components: { schemas } }) => (schemas.App = { type: "object", properties: { data: schemas.App } }),
    ),
  ],
];

let copy: WorkingCopy;
let before: Map<string, string>;

beforeAll(() => {
  copy = workingCopy();
  before = copy.files();
});

afterAll(() => copy.dispose());

test.each(refused)(
  "refuses %s (%s) and changes nothing",
  async (_, code, document) => {
    const run = await copy.run(["--from", copy.documentFile(document)]);

    expect(run).toEqual({
      exitCode: 2,
      out: [],
      err: [expect.stringMatching(`^${code}: Failed to [^\\n]+\\.$`)],
    });
    expect(copy.files()).toEqual(before);
  },
  60_000,
);

test.each(named)(
  "names the fault of a document with %s",
  async (_, words, document) => {
    const run = await copy.run(["--from", copy.documentFile(document)]);

    expect(run).toEqual({ exitCode: 2, out: [], err: [expect.stringContaining(words)] });
    expect(run.err[0]).not.toMatch(/src\/|\n/);
    expect(copy.files()).toEqual(before);
  },
  60_000,
);
