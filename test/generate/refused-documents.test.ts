import { afterAll, expect, test } from "vitest";
import { changed, type Document, exampleDocument } from "../helpers/generated-module.js";
import { workingCopy } from "./working-copy.js";

const text = JSON.stringify(exampleDocument());
const put = (pattern: string, replacement: string) => text.replace(pattern, () => replacement);
/** The document with a component that an answer of the SDK's leads to. */
const component = (schema: unknown, name = "Extra") =>
  changed(({ components: { schemas } }) => {
    schemas[name] = schema;
    schemas.App.properties.extra = { $ref: `#/components/schemas/${encodeURIComponent(name)}` };
  });
const referring = ($ref: string) => component({ $ref });
const mapped = (target: string) =>
  component({ discriminator: { propertyName: "kind", mapping: { a: target } } });
const body = (change: (fields: Document) => void) =>
  changed(({ components }) => change(components.schemas.CreateScreenshotsRequest.properties));

/** The document after a change of its paths, in which those of the operations are short. */
const operated = (change: (parts: Document) => void) =>
  changed((document) => {
    const { paths } = document;
    const [apps, sets, jobs] = ["apps", "screenshots", "jobs/{id}"].map(
      (name) => paths[`/public/v1/${name}`],
    );
    change({ document, paths, create: apps.post, plan: sets.post, poll: jobs.get });
  });

/** Moves every path, so that the operations are there and not where the SDK looks for them. */
const moved = (to: (path: string) => string) =>
  changed((document) => {
    const paths = Object.entries(document.paths);
    document.paths = Object.fromEntries(paths.map(([path, item]) => [to(path), item]));
  });

/** Schemas that each lead twice to the one before. */
const doubling = (first: object, nextTo: (part: object) => object) =>
  changed(({ components: { schemas } }) => {
    schemas.Twice0 = first;
    for (let index = 1; index <= 30; index++) {
      schemas[`Twice${index}`] = nextTo({ $ref: `#/components/schemas/Twice${index - 1}` });
    }
    schemas.App.properties.extra = { $ref: "#/components/schemas/Twice30" };
  });

/** Documents that are refused, by the code of the refusal. */
const refused: Record<string, Record<string, Document>> = {
  "not-json": {
    "a document that is cut off": text.slice(0, -100),
  },
  "not-utf-8": {
    "bytes that are no UTF-8": Buffer.concat([Buffer.from('{"openapi":"'), Buffer.from([0xff])]),
  },
  "duplicate-key": {
    "a key that is there twice, in other characters": put('"maxLength":', '"max\\u004cength":1,"maxLength":'),
  },
  "proto-key": {
    "a key `__proto__`, in other characters": put('"maxLength":2000', '"\\u005f_proto__":2000'),
  },
  "too-deep": {
    "a million levels": "[".repeat(1e6) + "]".repeat(1e6),
  },
  "too-large": { "50 MB": `${text}${" ".repeat(50 * 1024 * 1024)}` },
  "not-openapi": {
    "a list": "[]",
    "Swagger 2.0": put('"openapi":"3.1.0"', '"swagger":"2.0"'),
    "a version of OpenAPI that is not known": put('"openapi":"3.1.0"', '"openapi":"3.3.0"'),
  },
  malformed: {
    "no paths": operated(({ document }) => delete document.paths),
    "an operation that is a string": operated(({ paths }) => (paths["/public/v1/apps"].post = "create")),
    "responses in a list": operated(({ create }) => (create.responses = [])),
    "a parameter without a name": operated(({ poll }) => delete poll.parameters[0].name),
    "a schema that is a string": component("string"),
    "properties in a list": component({ properties: [] }),
    "a type that JSON does not have": component({ type: "file" }),
    "a length below zero": body(({ appId, device }) => Object.assign(device, appId, { minLength: -1 })),
    "a limit in words": body(({ count }) => (count.maximum = "ten")),
    "`allOf` of nothing": component({ allOf: [] }),
    "a length in words where only a reference makes a schema of data": changed(
      ({ components: { schemas } }) => {
        schemas.Extra = { default: { name: { type: "string", minLength: "1); evil(" } } };
        schemas.App.properties.name = { $ref: "#/components/schemas/Extra/default/name" };
        schemas.CreateAppRequest.properties.extraContext = schemas.App.properties.name;
      },
    ),
  },
  "outside-reference": {
    "a reference to another server": referring("https://elsewhere.test/schema.json#/App"),
    "a reference to a file beside it": referring("../package.json#/name"),
    "a mapping to another server": mapped("https://elsewhere.test/a.json"),
    "a callback on another server": operated(
      ({ create }) => (create.callbacks = { ended: { $ref: "https://elsewhere.test/callback.json" } }),
    ),
  },
  "dangling-reference": {
    "a reference to nothing": referring("#/components/schemas/Nobody"),
    "a reference that is badly encoded": referring("#/components/%zz"),
    "a reference to what every object inherits": referring("#/components/constructor"),
  },
  "circular-reference": {
    "a reference to itself": referring("#/components/schemas/Extra"),
    "a schema that is composed of itself": component({
      allOf: [{ anyOf: [{ $ref: "#/components/schemas/Extra" }] }],
    }),
    "an answer that is itself": operated(({ document, create }) => {
      document.components.responses.Itself = { $ref: "#/components/responses/Itself" };
      create.responses[409] = { $ref: "#/components/responses/Itself" };
    }),
  },
  "too-complex": {
    "schemas that double in each step": doubling({}, (part) => ({ allOf: [part, part] })),
    "alternatives that multiply": changed(({ components: { schemas } }) => {
      const some = (of: string) => ({
        anyOf: Array.from("0123456789", (name) => ({ properties: { [of + name]: {} } })),
      });
      schemas.CreateScreenshotsRequest = { allOf: Array.from("01234567", some) };
    }),
    "an answer of a thousand headers that every status shares": operated(({ document, create }) => {
      const headers = Array.from({ length: 1000 }, (_, index) => [`h${index}`, { schema: {} }]);
      document.components.responses.Many = { description: "", headers: Object.fromEntries(headers) };
      for (let status = 300; status < 600; status++) {
        create.responses[status] = { $ref: "#/components/responses/Many" };
      }
    }),
    "fields that are each composed of the one before, twice": doubling({ type: "object" }, (part) => {
      const field = { allOf: [part, { type: "object", title: "T", minProperties: 0 }] };
      return { type: "object", properties: { one: field, other: field } };
    }),
  },
  "missing-operation": {
    "createApp under another method": operated(
      ({ paths, create }) => (paths["/public/v1/apps"] = { put: create }),
    ),
    "paths of another version": moved((path) => path.replace("v1", "v2")),
    "paths below a prefix that no server has": moved((path) => `/other${path}`),
    "one of the operations below another prefix than the rest": moved((path) =>
      path.replace(/.*apps/, "/api/v1$&"),
    ),
  },
  "duplicate-path": {
    "the same method of a job's path twice": operated(
      ({ paths, poll }) => (paths["/public/v1/jobs/{jobId}"] = { get: poll }),
    ),
  },
  "missing-body": {
    "createApp without a body": operated(({ create }) => delete create.requestBody),
    "createScreenshots with a body of XML": operated(
      ({ plan }) => (plan.requestBody.content = { "application/xml": {} }),
    ),
  },
  "missing-answer": {
    "getJob without an answer": operated(({ poll }) => delete poll.responses[200]),
    "createApp with an answer of HTML": operated(
      ({ create }) => (create.responses[200].content = { "text/html": {} }),
    ),
  },
  "unsafe-name": {
    "a component whose name is code": component({}, 'A"]; evil()'),
    "an operation id that is code": operated(({ create }) => (create.operationId = '"); evil(("')),
    "a parameter whose name is code": operated(({ poll }) => (poll.parameters[0].name = "'+evil()+'")),
    "a media type that is code": operated(({ create }) => (create.responses[200].content['"];evil()'] = {})),
    "a status that is code": operated(
      ({ create }) => (create.responses["200; evil()"] = { description: "" }),
    ),
  },
};

/** Documents whose fault is named: what the refusal says of it. */
const named: [what: string, words: string, document: Document][] = [
  [
    "an operation that is nearly there",
    'it lacks createApp (POST /public/v1/apps), but has "/public/v1/app /public/v1/screenshots"',
    moved((path) => path.replace("apps", "app")),
  ],
  [
    "slides that are left out",
    "the answer of getJob leaves out `result.slides`",
    changed(({ components }) => delete components.schemas.Job.properties.result.properties.slides),
  ],
  [
    "a schema in words",
    '"#/components/schemas/Extra/properties/name" is not a schema',
    component({ properties: { name: "text" } }),
  ],
];

const copy = workingCopy(afterAll);
const before = copy.files();

const cases = Object.entries(refused).flatMap(([code, documents]) =>
  Object.entries(documents).map(([what, document]) => ({ code, what, document })),
);

test.each(cases)("refuses $what ($code)", async ({ code, document }) => {
  expect(await copy.run(["--from", copy.documentFile(document)])).toEqual({
    exitCode: 2,
    out: [],
    err: [expect.stringMatching(`^${code}: Failed to [^\\n]+\\.$`)],
  });
});

test.each(named)("names the fault of a document with %s", async (_, words, document) => {
  const run = await copy.run(["--from", copy.documentFile(document)]);
  expect(run).toEqual({ exitCode: 2, out: [], err: [expect.stringContaining(words)] });
  expect(run.err[0]).not.toMatch(/src\/|\n/);
});

test("a document that is refused changes nothing", () => {
  expect(copy.files()).toEqual(before);
});
