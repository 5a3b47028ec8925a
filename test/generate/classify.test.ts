import { beforeAll, expect, test } from "vitest";
import { bySeverity, type Change, type Level } from "../../scripts/classify/change.js";
import { classify } from "../../scripts/classify/classify.js";
import { parseDocument } from "../../scripts/vet/parse-document.js";
import { changed, type Document } from "../helpers/generated-module.js";
import { integer, json, refer, text } from "./schemas.js";

/** An operation as the service may have one day, alone in its path, with the parts that a change may be about. */
function gained(path: string) {
  const sent: Document = {
    title: { type: "string", maxLength: 100 },
    length: { type: "string", enum: ["short", "long"], default: "short" },
    note: { type: "string" },
    locale: { type: "string", default: "en" },
    count: { type: "integer", minimum: 1, maximum: 10, default: 5 },
    owner: { anyOf: [text, { type: "integer" }] },
    tone: { anyOf: [{ $ref: "#/components/schemas/Tone", default: "calm" }, { type: "null" }] },
    style: { type: "object", properties: { font: text } },
  };
  const given: Document = {
    slug: { type: "string" },
    kind: { type: "string", enum: ["story", "list"] },
    rank: { type: "integer", minimum: 0, default: 1 },
    owner: { anyOf: [text, { type: "integer" }] },
    parts: { type: "array", items: { type: "object", additionalProperties: true } },
    by: { anyOf: [text, { type: "null" }] },
    sizes: { type: "object", additionalProperties: { type: "integer" } },
    media: { type: "array", items: { oneOf: [kindOf("photo"), kindOf("video")] } },
  };
  const body: Document = { type: "object", required: ["title", "locale"], properties: sent };
  const answer: Document = { type: "object", required: ["slug", "kind"], properties: given };
  const id = { name: "id", in: "path", required: true, schema: text };
  const operation: Document = {
    operationId: `Add ${path}`,
    summary: "Adds one.",
    parameters: [id, { name: "locale", in: "query", schema: text }],
    requestBody: { content: { ...json(body), "multipart/form-data": { schema: body } } },
    responses: {
      200: { description: "Added.", headers: { Location: { schema: text } }, content: json(answer) },
      401: { description: "The key is wrong." },
      409: { description: "It is there.", content: json({ properties: { code: text } }) },
    },
    security: [{ bearer: [] }, { apiKey: [] }],
  };
  const item: Document = { post: operation, delete: { parameters: [id], responses: { 204: none } } };
  const paths: Document = { [`${path}/{id}`]: item };
  return { paths, item, operation, body, sent, answer, given };
}

const none = { description: "None." };

function kindOf(kind: string): Document {
  return { type: "object", required: ["kind", "url"], properties: { kind: { const: kind }, url: text } };
}

type Gained = ReturnType<typeof gained>;
type Edit = (parts: Gained) => unknown;

/** What a release manager says of a change of an operation, by the reason. */
const table: Record<Exclude<Level, "none">, Record<string, [what: string, edit: Edit][]>> = {
  breaking: {
    "what was accepted is refused": [
      ["a longest length is lowered", ({ sent }) => (sent.title.maxLength = 99)],
      ["a least number is raised", ({ sent }) => (sent.count.minimum = 2)],
      ["a pattern is stated", ({ sent }) => (sent.title.pattern = "^https://")],
      ["a free string becomes a choice", ({ sent }) => (sent.title.enum = ["calm", "loud"])],
      ["a field has to be given", ({ body }) => body.required.push("owner")],
      ["unknown fields are refused", ({ body }) => (body.additionalProperties = false)],
      ["any other rule is stated", ({ sent }) => (sent.note.not = { const: "" })],
    ],
    "code that gives it no longer compiles": [
      ["a value can no longer be given", ({ sent }) => sent.length.enum.pop()],
      ["a field can no longer be given", ({ sent }) => delete sent.owner],
      ["the only field can no longer be given", ({ sent }) => delete sent.style.properties.font],
      ["a field has another type", ({ sent }) => (sent.title = { type: "array", items: text })],
      ["a parameter is gone", ({ operation }) => operation.parameters.pop()],
    ],
    "code that leaves it out no longer compiles": [
      ["a field that has to be given no longer has a default", ({ sent }) => delete sent.locale.default],
      ["a body has to be given", ({ operation }) => (operation.requestBody.required = true)],
      [
        "an operation gets a body that has to be given",
        ({ item }) => (item.delete.requestBody = { required: true, content: json({ type: "object" }) }),
      ],
      ["a parameter has to be given", ({ operation }) => (operation.parameters[1].required = true)],
    ],
    "code that leaves the field out gets something else": [
      ["a default is another", ({ sent }) => (sent.count.default = 3)],
      ["a default beside a reference is another", ({ sent }) => (sent.tone.anyOf[0].default = "loud")],
    ],
    "calls no longer compile": [
      ["an operation is gone", ({ item }) => delete item.delete],
      ["a path has another name", ({ paths }) => rename(paths, (path) => `${path}/more`)],
    ],
    "code that reads it, or compares it with a value, fails or no longer compiles": [
      ["a field of an answer is gone", ({ given }) => delete given.rank],
      ["a field of an answer has another type", ({ given }) => (given.slug = { type: "integer" })],
      ["an integer of an answer may be a fraction", ({ given }) => (given.rank.type = "number")],
      ["a field of an answer may be missing", ({ answer }) => answer.required.pop()],
      ["a field of an answer may be null", ({ given }) => (given.slug = { type: ["string", "null"] })],
      ["an answer never has a value any more", ({ given }) => given.kind.enum.pop()],
      ["any text of an answer is one of a few", ({ given }) => (given.slug = { ...text, enum: ["a", "b"] })],
      ["an answer never has a text", ({ given }) => (given.owner = { type: ["integer", "null"] })],
      ["a kind of an answer is gone", ({ given }) => given.media.items.oneOf.pop()],
      ["a kind of an answer loses a field", ({ given }) => delete given.media.items.oneOf[1].properties.url],
      ["fields without a name have another type", ({ given }) => (given.sizes.additionalProperties = text)],
      ["an answer may also have no body", ({ operation }) => (operation.responses[204] = none)],
      ["an answer is not JSON", ({ operation }) => (operation.responses[200].content = { "text/csv": {} })],
    ],
    "clients that send what they sent are refused": [
      ["the key goes elsewhere", ({ operation }) => (operation.security = [{ bearer: [] }, { token: [] }])],
      ["both keys are needed", ({ operation }) => (operation.security = [{ bearer: [], apiKey: [] }])],
    ],
  },
  additive: {
    "nobody does it yet": [
      ["a method is new", ({ item }) => (item.head = { responses: { 204: none } })],
      ["a path is new", ({ paths }) => (paths[`${Object.keys(paths)}/more`] = { get: { responses: {} } })],
      ["a field may be given", ({ sent }) => (sent.by = text)],
      ["a value may be given", ({ sent }) => sent.length.enum.push("medium")],
      ["another type may be given", ({ sent }) => sent.owner.anyOf.push({ type: "boolean" })],
      ["anything may be given", ({ sent }) => (sent.owner = {})],
      ["an integer to give may be a fraction", ({ sent }) => (sent.count.type = "number")],
      ["a body may be given", ({ item }) => (item.delete.requestBody = { content: json({}) })],
      ["an answer has a further field", ({ given }) => (given.locale = text)],
      ["an answer may have a further value", ({ given }) => given.kind.enum.push("poem")],
      [
        "an answer may have a further header",
        ({ operation }) => (operation.responses[200].headers["RateLimit-Remaining"] = { schema: {} }),
      ],
      [
        "the service calls back",
        ({ operation }) => (operation.callbacks = { ended: { $ref: "#/components/callbacks/Nobody" } }),
      ],
      ["a further error is described", ({ operation }) => (operation.responses[402] = none)],
    ],
    "what was right stays right": [
      ["a longest length is raised", ({ sent }) => (sent.title.maxLength = 4000)],
      ["a field need no longer be given", ({ body }) => (body.required = ["locale"])],
      ["a field of an answer is always there", ({ answer }) => answer.required.push("rank")],
      ["a field of an answer is never null", ({ given }) => (given.by.anyOf = [text])],
      ["an array's items are described", ({ given }) => (given.parts.items.properties = { caption: text })],
      ["an operation needs no key", ({ operation }) => (operation.security = [])],
      ["an operation takes a further key", ({ operation }) => operation.security.push({ token: [] })],
    ],
    "callers take any error": [
      [
        "a field of an error has another type",
        ({ operation }) =>
          (operation.responses[409].content = json({ properties: { code: { type: "integer" } } })),
      ],
    ],
    "the client gives it by itself": [
      [
        "an idempotency key has to be given",
        ({ operation }) =>
          operation.parameters.push({ name: "Idempotency-Key", in: "header", required: true, schema: text }),
      ],
    ],
  },
  docs: {
    "words bind nobody": [
      ["an operation is described in other words", ({ operation }) => delete operation.summary],
      ["an error's body is no longer described", ({ operation }) => delete operation.responses[409].content],
      ["an operation has another name", ({ operation }) => (operation.operationId = "addOne")],
      ["a field is described", ({ sent }) => Object.assign(sent.title, { description: "A.", example: "B" })],
      ["an error is no longer listed", ({ operation }) => delete operation.responses[401]],
      ["a default is stated", ({ sent }) => (sent.note.default = "")],
      ["a default is no longer stated", ({ sent }) => delete sent.length.default],
      ["it is no longer said how the key is given", ({ operation }) => delete operation.security],
      ["an operation is deprecated", ({ operation }) => (operation.deprecated = true)],
      ["a parameter is deprecated", ({ operation }) => (operation.parameters[1].deprecated = true)],
      ["a field is deprecated", ({ given }) => (given.rank.deprecated = true)],
      [
        "a field of an error is deprecated",
        ({ operation }) =>
          (operation.responses[409].content = json({ properties: { code: { ...text, deprecated: true } } })),
      ],
    ],
    "no caller sees it": [
      [
        "a body is no longer taken as a form",
        ({ operation }) => delete operation.requestBody.content["multipart/form-data"],
      ],
      [
        "an answer has other headers and links",
        ({ operation: { responses } }) =>
          Object.assign(responses[200], {
            headers: {},
            links: { all: { $ref: "#/components/links/Nobody" } },
          }),
      ],
      [
        "a header that the client sends is listed",
        ({ operation }) =>
          operation.parameters.push({ name: "x-api-key", in: "header", required: true, schema: text }),
      ],
      [
        "an answer has other limits, formats and defaults",
        ({ answer, given }) => {
          Object.assign(given.slug, { format: "uri", maxLength: 9, pattern: "^a" });
          given.rank = { type: "integer", maximum: 9, default: 2 };
          answer.additionalProperties = false;
        },
      ],
      [
        "one kind of an answer has other limits",
        ({ given }) => (given.owner.anyOf[0] = { ...text, pattern: "^a", maxLength: 9 }),
      ],
    ],
    "it says the same": [
      [
        "a path declares its parameters",
        ({ item }) => {
          item.parameters = item.delete.parameters;
          delete item.delete.parameters;
        },
      ],
      [
        "defaults of OpenAPI are stated",
        ({ operation: { requestBody, parameters } }) => {
          requestBody.required = false;
          Object.assign(parameters[1], { required: false, style: "form", explode: true });
        },
      ],
      ["the width of a number is stated", ({ sent }) => (sent.count.format = "int32")],
      ["null is listed twice", ({ given }) => given.by.anyOf.push({ type: "null" })],
      ["a list is in another order", ({ body }) => body.required.reverse()],
      ["what only answers hold is marked", ({ given }) => (given.slug = { ...text, readOnly: true })],
    ],
  },
};

function rename(object: Document, nameOf: (name: string) => string): void {
  for (const [name, member] of Object.entries(object)) {
    delete object[name];
    object[nameOf(name)] = member;
  }
}

const rows = Object.entries(table).flatMap(([level, reasons]) =>
  Object.entries(reasons).flatMap(([because, edits]) =>
    edits.map(([what, edit]) => ({ level: level as Level, because, what, edit })),
  ),
);

/** A document with an operation for each row, each in its own state. */
function documentOf(states: Gained[]) {
  return parse(({ paths, components }) => {
    components.schemas.Tone = { type: "string", enum: ["calm", "loud"] };
    components.securitySchemes.token = { type: "apiKey", in: "header", name: "x-token" };
    for (const state of states) Object.assign(paths, state.paths);
  });
}

const parse = (edit: (document: Document) => void) => parseDocument(JSON.stringify(changed(edit)));
const pathOf = (index: number) => `/gained/${index}`;

let changes: Change[];

beforeAll(() => {
  const before = documentOf(rows.map((_, index) => gained(pathOf(index))));
  const states = rows.map(({ edit }, index) => {
    const state = gained(pathOf(index));
    edit(state);
    return state;
  });
  ({ changes } = classify(before, documentOf(states)));
});

test.each(rows.map((row, index) => ({ ...row, index })))(
  "it is $level that $what, as $because",
  ({ level, index }) => {
    const own = changes.filter(({ words }) => words.includes(`${pathOf(index)}/`));
    const [worst = "docs"] = own.map((change) => change.level).sort((one, other) => bySeverity(other, one));
    expect([worst, own]).toEqual([level, own]);
  },
);

const idempotencyKey = { name: "Idempotency-Key", in: "header", schema: text };

/** Changes of the SDK's own operations, and every sentence that users read of them. */
const sentences: Record<string, [edit: (document: Document) => unknown, ...words: string[]]> = {
  "what is deprecated": [
    ({ paths, components: { schemas } }) => {
      paths["/public/v1/apps"].post.deprecated = true;
      schemas.CreateScreenshotsRequest.properties.count.deprecated = true;
      schemas.App.properties.artworkUrl.deprecated = true;
    },
    "`apps.create` is deprecated",
    "`artworkUrl` of the answer of `apps.create` is deprecated",
    "`count` of `screenshots.create` is deprecated",
  ],
  "a field of a list's items": [
    ({ components: { schemas } }) => {
      const { slides } = schemas.Job.properties.result.properties;
      slides.items = { type: "object", properties: { caption: text } };
    },
    "the answer of `jobs.get` has `result.slides[].caption`",
  ],
  "a list of many values": [
    ({ components: { schemas } }) =>
      (schemas.App.properties.category.enum = Array.from({ length: 11 }, (_, index) => `${index}`)),
    "`category` of the answer of `apps.create` is always one of 11 values",
  ],
  "another type": [
    ({ components: { schemas } }) => (schemas.App.properties.category = { type: "array", items: text }),
    "`category` of the answer of `apps.create` may be an array, no longer a string",
  ],
  "several values, fields and errors at once": [
    ({ paths, components: { schemas } }) => {
      schemas.CreateScreenshotsRequest.properties.captionLength.enum.push("medium", "none");
      Object.assign(schemas.App.properties, { locale: text, rating: text, price: text });
      Object.assign(paths["/public/v1/apps"].post.responses, { 409: none, default: none });
    },
    "the answer of `apps.create` has `locale`, `price` and `rating`",
    "the document describes the answers 409 and `default` of `apps.create`",
    "`captionLength` of `screenshots.create` may also be `medium` or `none`",
  ],
  "a parameter that no method takes": [
    ({ paths }) => {
      paths["/public/v1/apps"].post.parameters = [{ name: "dryRun", in: "query", schema: {} }];
    },
    '`client.request("POST", "/public/v1/apps")` takes the query parameter `dryRun`',
  ],
  "another header for the key": [
    ({ components }) => (components.securitySchemes.apiKey.name = "X-Key"),
    "every operation takes a key in the header `x-key`, no longer a key in the header `x-api-key`",
  ],
  "one way less to give the key": [
    (document) => document.security.pop(),
    "every operation no longer takes a key in the header `x-api-key`",
  ],
  "both keys at once": [
    (document) => (document.security = [{ bearer: [], apiKey: [] }]),
    "every operation takes a key in the header `x-api-key` and a bearer token, no longer a bearer token or a key in the header `x-api-key`",
  ],
  "an operation without a key": [
    ({ paths }) => (paths["/public/v1/apps"].post.security = []),
    "`apps.create` needs no key",
  ],
  "servers that state nothing else": [
    (document) =>
      (document.servers = [
        { url: "https://api.example.com/api/v1/" },
        { url: "http://localhost:3000/{path}", variables: { path: { default: "api/v1" } } },
        { url: "/" },
      ]),
  ],
  "another host": [(document) => (document.servers = [{ url: "https://eu.example.com/api/v1" }])],
  "a host with another path, of which the earlier one ends so": [
    (document) => (document.servers = [{ url: "https://api.example.com/v1" }]),
    "the service's base URL is `https://api.example.com/v1`, no longer one that ends in `/api/v1`",
  ],
  "other servers of every path": [
    ({ paths }) => {
      for (const item of Object.values<{ servers?: unknown }>(paths))
        item.servers = [{ url: "https://api.example.com/v1" }];
    },
    "the service's base URL is `https://api.example.com/v1`, no longer one that ends in `/api/v1`",
  ],
  "other servers of one operation": [
    ({ paths }) => (paths["/public/v1/apps"].post.servers = [{ url: "https://apps.example.com/v1" }]),
    "the base URL of `apps.create` is `https://apps.example.com/v1`, no longer one that ends in `/api/v1`",
  ],
  "an idempotency key that both creates require": [
    ({ paths }) => {
      for (const path of ["apps", "screenshots"]) {
        paths[`/public/v1/${path}`].post.parameters = [{ ...idempotencyKey, required: true }];
      }
    },
    "each of `apps.create` and `screenshots.create` is sent again with the same `Idempotency-Key` after a failure that leaves open whether it was accepted",
  ],
  "an idempotency key of what only reads": [
    ({ paths }) => paths["/public/v1/jobs/{id}"].get.parameters.push(idempotencyKey),
    "`jobs.get` takes the header parameter `Idempotency-Key`",
  ],
  "an error that is a text": [
    ({ paths }) => (paths["/public/v1/apps"].post.responses[409] = { description: "", content: json(text) }),
    "the document describes the answer 409 of `apps.create`",
    "the document describes the body of the answer 409 of `apps.create`, which is a string",
  ],
  "a pattern that no code can show": [
    ({ components: { schemas } }) => (schemas.CreateAppRequest.properties.iosUrl.pattern = "^`ü$"),
    "`iosUrl` of `apps.create` is of another `pattern`",
  ],
  "values that are deprecated": [
    ({ components: { schemas } }) => {
      schemas.Device.oneOf = schemas.Device.enum.map((value: string) => ({
        const: value,
        deprecated: value.startsWith("iphone-6") && value < "iphone-69",
      }));
      delete schemas.Device.enum;
      schemas.CreateScreenshotsRequest.properties.captionLength["x-enum-deprecated"] = ["long"];
    },
    "`result.device` of the answer of `jobs.get` lists the values `iphone-67` and `iphone-65` as deprecated",
    "`captionLength` of `screenshots.create` lists the value `long` as deprecated",
    "`device` of `screenshots.create` lists the values `iphone-67` and `iphone-65` as deprecated",
  ],
  "the last day of what is deprecated, and what follows it": [
    ({ paths, components: { schemas } }) => {
      const { properties } = schemas.CreateAppRequest;
      const ends = { deprecated: true, "x-sunset": "2027-03-01", "x-replaced-by": "context" };
      Object.assign(properties.extraContext, ends);
      const { post } = paths["/public/v1/screenshots"];
      const example = "Sun, 31 Jan 2027 23:59:59 GMT";
      Object.assign(post, { deprecated: true });
      post.responses[201].headers = { Sunset: { schema: { type: "string" }, example } };
      const description = "Use `accountId` instead. It will be removed after 2027-05-01.";
      Object.assign(schemas.CreateScreenshotsRequest.properties.appId, { deprecated: true, description });
    },
    "answers of `screenshots.create` may have the header `Sunset`",
    "`extraContext` of `apps.create` is deprecated, ends on 2027-03-01 and is followed by `context`",
    "`screenshots.create` is deprecated and ends on 2027-01-31",
    "`appId` of `screenshots.create` is deprecated, ends on 2027-05-01 and is followed by `accountId`",
  ],
  "fields that the client takes all the same, of which one has another name": [
    ({ components: { schemas } }) => {
      const { CreateAppRequest, CreateScreenshotsRequest } = schemas;
      CreateAppRequest.properties = { url: text };
      const { count, ...others } = CreateScreenshotsRequest.properties;
      CreateScreenshotsRequest.properties = { ...others, slideCount: count };
      CreateScreenshotsRequest.required = ["appId", "device"];
    },
    "`apps.create` no longer takes `extraContext`",
    "the document no longer has `iosUrl` and `androidUrl` of `apps.create`, which the client still takes",
    "the document no longer has `count` of `screenshots.create`, which the client still sends",
    "`apps.create` takes `url`",
    "`screenshots.create` takes `slideCount`",
  ],
  "a path without an operation": [({ paths }) => (paths["/public/v1/empty"] = {})],
  "bounds that are said as a list": [
    ({ components: { schemas } }) => {
      const { count } = schemas.CreateScreenshotsRequest.properties;
      Object.assign(count, { enum: Array.from({ length: 10 }, (_, index) => index + 1) });
      delete count.minimum;
      delete count.maximum;
    },
  ],
  "names that would be read as something else": [
    ({ components: { schemas } }) => (schemas.App.properties["a\u202eb\u0007`<b>"] = text),
    "the answer of `apps.create` has `a?b???b?`",
  ],
};

test.each(Object.entries(sentences))("says once, in words for users: %s", (_, [edit, ...words]) => {
  const { changes } = classify(
    parse(() => {}),
    parse(edit),
  );
  expect(changes.map((change) => change.words)).toEqual(words);
});

test("a person is asked about a field that the client sends and the document lacks; its return is docs", () => {
  const own = parse(() => {});
  const without = parse(({ components: { schemas } }) => {
    delete schemas.CreateScreenshotsRequest.properties.count;
    schemas.CreateScreenshotsRequest.required = ["appId", "device"];
  });
  expect(classify(own, without)).toEqual({
    level: "breaking",
    changes: [
      expect.objectContaining({
        todo: "the document no longer has `count` of `screenshots.create`, which the client still sends: see that the service takes it, or no longer send it",
      }),
    ],
  });
  const { level, changes } = classify(without, own);
  expect([level, ...changes.map(({ words }) => words)]).toEqual([
    "docs",
    "the document describes `count` of `screenshots.create`",
  ]);
});

test("it is told that a default, a last day or a successor is no longer stated", () => {
  const ending = (end: object) => (document: Document) => {
    const { extraContext } = document.components.schemas.CreateAppRequest.properties;
    Object.assign(extraContext, { deprecated: true, ...end });
    return document;
  };
  const { level, changes } = classify(
    parse(ending({ "x-sunset": "2027-03-01", "x-replaced-by": "context" })),
    parse((document) => {
      delete ending({})(document).components.schemas.CreateScreenshotsRequest.properties.captionStyle.default;
    }),
  );
  expect([level, ...changes.map(({ words }) => words)]).toEqual([
    "docs",
    "the document no longer says that `extraContext` of `apps.create` ends on 2027-03-01 and is followed by `context`",
    "`captionStyle` of `screenshots.create` has no documented default any more",
  ]);
});

test("an idempotency key that is gone is told with what it did", () => {
  const { level, changes } = classify(
    parse(({ paths }) => (paths["/public/v1/screenshots"].post.parameters = [idempotencyKey])),
    parse(() => {}),
  );
  expect([level, ...changes.map(({ words }) => words)]).toEqual([
    "breaking",
    "`screenshots.create` no longer takes the header parameter `Idempotency-Key`, so it is not sent again after a failure that leaves open whether it was accepted",
  ]);
});

test("a field of many errors' bodies is told once", () => {
  const withBody = (properties: object) =>
    parse(({ paths }) => {
      for (const path of ["apps", "screenshots"]) {
        for (const status of [402, 422]) {
          paths[`/public/v1/${path}`].post.responses[status] = {
            description: "",
            content: json({ properties }),
          };
        }
      }
    });
  const { changes } = classify(withBody({ code: text }), withBody({ code: text, hint: text, help: text }));
  expect(changes.map(({ words }) => words)).toEqual([
    "the body of the answers 402 and 422 of each of `apps.create` and `screenshots.create` has `help` and `hint`",
  ]);
});

const objectOf = (...names: string[]) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, text])),
});
const kind = (value: string, properties: object) => ({
  type: "object",
  required: ["kind"],
  properties: { kind: { const: value }, ...properties },
});

/** Schemas of a field that is sent or given, and every sentence about its change. */
const fields: [what: string, before: object, after: object, sent: string[], given: string[]][] = [
  [
    "a further kind",
    { oneOf: [kind("photo", { url: text }), kind("video", { url: text })] },
    { oneOf: [kind("photo", { url: text }), kind("video", { url: text }), kind("audio", { length: text })] },
    ["`x` of it may also be an object with `kind` `audio`"],
    ["`x` of its answer may also be an object with `kind` `audio`"],
  ],
  [
    "kinds of which each has changed",
    { oneOf: [kind("photo", { url: text }), kind("video", { url: text })] },
    { oneOf: [kind("photo", { url: text, alt: text }), kind("video", { url: integer })] },
    ["`x.url` of it may be an integer, no longer a string", "it takes `x.alt`"],
    ["`x.url` of its answer may be an integer, no longer a string", "its answer has `x.alt`"],
  ],
  [
    "a kind with another name",
    { oneOf: [kind("photo", { url: text }), kind("video", { length: text })] },
    { oneOf: [kind("picture", { url: text }), kind("video", { length: text })] },
    ["`x.kind` of it may no longer be `photo`", "`x.kind` of it may also be `picture`"],
    ["`x.kind` of its answer is never `photo`", "`x.kind` of its answer may also be `picture`"],
  ],
  [
    "objects without a kind, in their order",
    { anyOf: [objectOf("a"), objectOf("b")] },
    { anyOf: [objectOf("a", "c"), objectOf("b", "d")] },
    ["it takes `x.c` and `x.d`"],
    ["its answer has `x.c` and `x.d`"],
  ],
  [
    "what was not described",
    {},
    { type: ["string", "null"] },
    ["`x` of it is always a string"],
    ["`x` of its answer is always a string"],
  ],
  [
    "a limited number that is no longer described",
    { type: "integer", maximum: 10 },
    {},
    ["`x` of it may be anything"],
    ["`x` of its answer may be anything"],
  ],
  [
    "an alternative that is not described",
    { anyOf: [text, integer] },
    { anyOf: [text, {}] },
    ["`x` of it may be anything"],
    ["`x` of its answer may be anything"],
  ],
  [
    "a default of several types",
    { anyOf: [text, integer] },
    { anyOf: [text, integer], default: "a" },
    ["`x` of it is `a` if it is left out"],
    [],
  ],
  [
    "bounds of whole numbers, beyond and within",
    { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 11, multipleOf: 1 },
    { type: "integer", minimum: 1, maximum: 10 },
    [],
    [],
  ],
  [
    "whole numbers as multiples of 1",
    { type: "integer", maximum: 10 },
    { type: "number", maximum: 10, multipleOf: 1 },
    [],
    [],
  ],
  [
    "a list of whole numbers without a gap",
    { type: "integer", minimum: 1, maximum: 3 },
    { enum: [3, 1, 2] },
    [],
    ["`x` of its answer is always `3`, `1` or `2`"],
  ],
  [
    "a list of whole numbers that ends later",
    { enum: [1, 2] },
    { enum: [1, 2, 3] },
    ["`x` of it is at most `3`"],
    ["`x` of its answer may also be `3`"],
  ],
  [
    "lists of another form",
    { type: "array", prefixItems: [text] },
    { type: "array", prefixItems: [text, text] },
    ["`x` of it has other items"],
    ["`x` of its answer has other items"],
  ],
];

test.each(fields)(
  "says once, of a field that is sent and of one that is given: %s",
  (_, before, after, sent, given) => {
    const withField = (schema: object) =>
      parse(({ paths }) => {
        const content = json({ type: "object", properties: { x: schema } });
        const responses = { 200: { description: "", content } };
        paths["/x"] = { put: { requestBody: { content }, responses: {} }, get: { responses } };
      });
    const { changes } = classify(withField(before), withField(after));
    const said = changes.map(({ words }) => words);
    const about = (method: string, name: string) =>
      said
        .filter((words) => words.includes(method))
        .map((words) => words.replace(/(the answer of )?`client[^`]*`/, name));
    expect([about("PUT", "it"), about("GET", "its answer")]).toEqual([sent, given]);
  },
);

test("a field of a component is told at each place of the component in one body", () => {
  const withText = (properties: object) =>
    parse(({ components: { schemas } }) => {
      schemas.Text = { type: "object", properties };
      const { properties: sent } = schemas.CreateScreenshotsRequest;
      Object.assign(sent, { head: refer("Text"), sub: refer("Text") });
    });
  const { changes } = classify(withText({ font: text, size: integer }), withText({ font: text }));
  expect(changes.map(({ words }) => words)).toEqual([
    "`screenshots.create` no longer takes `head.size` and `sub.size`",
  ]);
});

/** Components that refer to each other in circles of different lengths, or twice to the next one. */
function entangled(length: number, leaf: object): (document: Document) => void {
  return ({ paths, components: { schemas } }) => {
    for (let index = 0; index < 60; index++) {
      const next = refer(index < 59 ? `Twice${index + 1}` : "Leaf");
      schemas[`Twice${index}`] = { type: "object", properties: { left: next, right: next } };
    }
    for (let index = 0; index < length; index++) {
      const properties = { next: refer(`Ring${(index + 1) % length}`), leaf: refer("Leaf") };
      schemas[`Ring${index}`] = { type: "object", properties };
    }
    schemas.Leaf = leaf;
    const properties = { twice: refer("Twice0"), ring: refer("Ring0") };
    const content = json({ type: "object", properties });
    paths["/entangled"] = {
      post: { requestBody: { content }, responses: { 200: { description: "", content } } },
    };
  };
}

test("compares schemas that contain themselves, or each other countless times", () => {
  const { level, changes } = classify(
    parse(entangled(3, { type: "string" })),
    parse(entangled(7, { type: "integer" })),
  );
  expect(level).toBe("breaking");
  expect(changes.length).toBeLessThan(200);
  expect(changes.map(({ words }) => words)).toContain(
    '`ring.leaf` of `client.request("POST", "/entangled")` may be an integer, no longer a string',
  );
});

test("compares a schema that contains itself, composed anew at each depth", () => {
  const withNode = (size: object) =>
    parse(({ components: { schemas } }) => {
      const own = { properties: { next: { description: "The last one." } } };
      const next = { allOf: [refer("Node"), own] };
      schemas.Node = { type: "object", properties: { size, next } };
      schemas.App.properties.first = refer("Node");
    });
  const { changes } = classify(withNode(text), withNode(integer));
  expect(changes.map(({ words }) => words)).toContain(
    "`first.next.size` of the answer of `apps.create` may be an integer, no longer a string",
  );
  expect(changes.length).toBeLessThan(10);
});

test("compares alternatives in more combinations than it tells apart", () => {
  const letters = (key: string) => ({
    anyOf: Array.from({ length: 40 }, (_, index) => ({ required: [`${key}${index}`], minProperties: index })),
  });
  const other = parse(({ paths }) => {
    const content = json({ allOf: [letters("a"), letters("b")] });
    paths["/further"] = { post: { requestBody: { content }, responses: {} } };
  });
  const more = structuredClone(other) as Document;
  more.paths["/further"].post.summary = "Further.";
  expect(classify(other, more)).toEqual({ level: "docs", changes: [] });
});

test("it is docs that the document says of the SDK's operations, in other words, what the SDK knows", () => {
  const own = parse(() => {});
  const other = parse((document) => {
    const { info, components, paths } = document;
    const { App, CreateAppRequest, CreateScreenshotsRequest, Device, Job } = components.schemas;
    info.version = "7.0.0";
    document.openapi = "3.0.3";
    document.tags = [{ name: "All" }];
    paths["/public/v1/apps"].post.tags = ["All"];
    // The SDK has its own names for its operations and for the job's id, and takes any 2xx.
    paths["/public/v1/apps"].post.operationId = "apps_create";
    const { "/public/v1/jobs/{id}": item } = paths;
    item.get.parameters[0].name = "jobId";
    rename(paths, (path) => `/api/v1${path.replace("{id}", "{jobId}")}`);
    document.servers = [{ url: "https://api.example.com" }];
    rename(paths["/api/v1/public/v1/screenshots"].post.responses, (status) => status.replace("201", "200"));
    // Ways to authenticate have other names, each operation says them, and one is not used.
    const { bearer, apiKey } = components.securitySchemes;
    apiKey.name = "X-API-Key";
    components.securitySchemes = { HTTPBearer: { ...bearer, bearerFormat: "JWT" }, ApiKeyAuth: apiKey };
    components.securitySchemes.basic = { type: "http", scheme: "basic" };
    const security = [{ HTTPBearer: [] }, { ApiKeyAuth: [] }];
    for (const { get, post } of Object.values<Document>(paths)) Object.assign(get ?? post, { security });
    delete document.security;
    // Values are alternatives, null is a flag, and components have other names or none.
    components.schemas.Device = {
      oneOf: Device.enum.map((value: string) => ({ const: value, title: value })),
    };
    for (const field of ["result", "error"]) {
      Object.assign(Job.properties[field], { type: "object", nullable: true });
    }
    paths["/api/v1/public/v1/apps"].post.responses[200].content = json({ allOf: [App] });
    paths["/api/v1/public/v1/apps"].post.requestBody.content = json({ $ref: "#/components/schemas/Listing" });
    components.schemas = { ...components.schemas, Listing: CreateAppRequest };
    // The SDK keeps its own rules.
    delete App.required;
    delete CreateAppRequest.anyOf;
    CreateScreenshotsRequest.properties.captionStyle.enum = ["aso-expert", "calm"];
  });
  expect(classify(own, other)).toEqual({ level: "docs", changes: [] });
});
