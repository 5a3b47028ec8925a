import { describe, expect, test } from "vitest";
import type { Level } from "../../scripts/classify/change.js";
import { classify } from "../../scripts/classify/classify.js";
import { parseDocument } from "../../scripts/vet/parse-document.js";
import { changed, type Document } from "../helpers/generated-module.js";

type Edit = (document: Document) => void;

/** A document with further operations, as the service may have one day. */
const grown: Edit = ({ paths, components }) => {
  components.schemas.Narrative = {
    type: "object",
    required: ["slug", "title"],
    properties: {
      slug: { type: "string" },
      title: { type: "string" },
      kind: { type: "string", enum: ["story", "list"] },
      rank: { type: "integer", minimum: 0, default: 1 },
      owner: { anyOf: [{ type: "string" }, { type: "integer" }] },
      related: { type: "array", items: { $ref: "#/components/schemas/Narrative" } },
    },
  };
  const list = { type: "array", items: { $ref: "#/components/schemas/Narrative" } };
  paths["/public/v1/narratives"] = {
    get: {
      operationId: "listNarratives",
      parameters: [{ name: "locale", in: "query", schema: { type: "string" } }],
      responses: { 200: { description: "All.", content: { "application/json": { schema: list } } } },
    },
    post: {
      operationId: "addNarrative",
      requestBody: {
        content: {
          "application/json": { schema: { $ref: "#/components/schemas/NewNarrative" } },
          "multipart/form-data": { schema: { $ref: "#/components/schemas/NewNarrative" } },
        },
      },
      responses: {
        201: {
          description: "Added.",
          headers: { Location: { schema: { type: "string" } } },
          content: { "application/json": { schema: { $ref: "#/components/schemas/Narrative" } } },
        },
      },
    },
  };
  components.schemas.NewNarrative = {
    type: "object",
    required: ["title", "locale"],
    properties: {
      title: { type: "string" },
      locale: { type: "string", default: "en" },
      owner: { anyOf: [{ type: "string" }, { type: "integer" }] },
      weight: { type: "integer", minimum: 1 },
      tone: { anyOf: [{ $ref: "#/components/schemas/Tone", default: "calm" }, { type: "null" }] },
    },
  };
  components.schemas.Tone = { type: "string", enum: ["calm", "loud"] };
  paths["/public/v1/apps/{appId}"] = {
    delete: {
      operationId: "deleteApp",
      parameters: [{ name: "appId", in: "path", required: true, schema: { type: "string" } }],
      responses: { 204: { description: "Gone." } },
    },
  };
};

const narratives = ({ paths }: Document) => paths["/public/v1/narratives"].get;
const adding = ({ paths }: Document) => paths["/public/v1/narratives"].post;
const added = ({ components }: Document) => components.schemas.NewNarrative;
const body = ({ components }: Document) => components.schemas.CreateScreenshotsRequest;
const listing = ({ components }: Document) => components.schemas.CreateAppRequest;
const schemas = ({ components }: Document) => components.schemas;
const answer = ({ paths }: Document) =>
  paths["/public/v1/apps"].post.responses[200].content["application/json"];

/** What a release manager says of a change, and why. */
const table: Record<Exclude<Level, "none">, [what: string, because: string, edit: Edit][]> = {
  breaking: [
    ["an operation is gone", "calls to it fail", (d) => delete d.paths["/public/v1/narratives"]],
    [
      "an operation gets a body that must be given",
      "calls without it no longer compile",
      (d) => {
        const content = { "application/json": { schema: { type: "object" } } };
        d.paths["/public/v1/apps/{appId}"].delete.requestBody = { required: true, content };
      },
    ],
    [
      "any text of an answer is one of a few",
      "code that compares it with others no longer compiles",
      (d) => (schemas(d).App.properties.category.enum = ["games", "tools"]),
    ],
    [
      "an answer never has a text any more, only a number or null",
      "code that reads a text no longer compiles",
      (d) => (schemas(d).Narrative.properties.owner = { type: ["integer", "null"] }),
    ],
    [
      "a path has another name",
      "calls by the old one no longer compile",
      (d) => {
        d.paths["/public/v1/stories"] = d.paths["/public/v1/narratives"];
        delete d.paths["/public/v1/narratives"];
      },
    ],
    [
      "a parameter of a path has another name",
      "calls that give the old one no longer compile",
      (d) => {
        d.paths["/public/v1/apps/{id}"] = d.paths["/public/v1/apps/{appId}"];
        d.paths["/public/v1/apps/{id}"].delete.parameters[0].name = "id";
        delete d.paths["/public/v1/apps/{appId}"];
      },
    ],
    [
      "a longest length is lowered",
      "what was accepted is refused",
      (d) => (listing(d).properties.extraContext.maxLength = 1000),
    ],
    [
      "a shortest length is stated",
      "what was accepted is refused",
      (d) => (listing(d).properties.extraContext.minLength = 10),
    ],
    [
      "a greatest number is lowered",
      "what was accepted is refused",
      (d) => (body(d).properties.count.maximum = 8),
    ],
    [
      "a least number is raised",
      "what was accepted is refused",
      (d) => (body(d).properties.count.minimum = 2),
    ],
    [
      "a pattern is stated",
      "what was accepted is refused",
      (d) => (listing(d).properties.iosUrl.pattern = "^https://"),
    ],
    [
      "a value can no longer be given",
      "code that gives it no longer compiles",
      (d) => body(d).properties.captionLength.enum.pop(),
    ],
    [
      "a free string becomes a choice",
      "strings that were accepted are refused",
      (d) => (listing(d).properties.extraContext.enum = ["calm", "loud"]),
    ],
    [
      "a field has to be given",
      "what was accepted without it is refused",
      (d) => body(d).required.push("captionLength"),
    ],
    [
      "a field is new and has to be given",
      "code that does not know it no longer compiles",
      (d) => {
        body(d).properties.locale = { type: "string" };
        body(d).required.push("locale");
      },
    ],
    [
      "a field can no longer be given",
      "code that gives it no longer compiles",
      (d) => delete listing(d).properties.extraContext,
    ],
    [
      "a field to give has another name",
      "code that gives the old one no longer compiles",
      (d) => {
        listing(d).properties.context = listing(d).properties.extraContext;
        delete listing(d).properties.extraContext;
      },
    ],
    [
      "a field to give has another type",
      "code that gives the old one no longer compiles",
      (d) => (listing(d).properties.extraContext = { type: "array", items: { type: "string" } }),
    ],
    [
      "unknown fields are refused",
      "code that sends more is refused",
      (d) => (body(d).additionalProperties = false),
    ],
    [
      "a default is another",
      "code that leaves the field out gets something else",
      (d) => (body(d).properties.count.default = 3),
    ],
    [
      "a default beside a reference is another",
      "code that leaves the field out gets something else",
      (d) => (added(d).properties.tone.anyOf[0].default = "loud"),
    ],
    ["a parameter is gone", "code that gives it no longer compiles", (d) => delete narratives(d).parameters],
    [
      "a parameter has to be given",
      "code that leaves it out no longer compiles",
      (d) => (narratives(d).parameters[0].required = true),
    ],
    [
      "a parameter is new and has to be given",
      "code that does not know it no longer compiles",
      (d) => {
        narratives(d).parameters.push({
          name: "page",
          in: "query",
          required: true,
          schema: { type: "integer" },
        });
      },
    ],
    [
      "a field of an answer is gone",
      "code that reads it no longer compiles",
      (d) => {
        delete schemas(d).App.properties.category;
        schemas(d).App.required = ["appId", "name", "artworkUrl"];
      },
    ],
    [
      "a field of an answer has another type",
      "code that reads it no longer compiles",
      (d) => (schemas(d).Narrative.properties.title = { type: "integer" }),
    ],
    [
      "an integer of an answer may be a fraction",
      "code that counts on whole numbers is wrong",
      (d) => (schemas(d).Credits.properties.remaining.type = "number"),
    ],
    [
      "a field of an answer may be missing",
      "code that reads it without looking fails",
      (d) => (schemas(d).Narrative.required = ["slug"]),
    ],
    [
      "a field of an answer may be null",
      "code that reads it without looking fails",
      (d) => (schemas(d).App.properties.artworkUrl.type = ["string", "null"]),
    ],
    [
      "a device is new",
      "code that handles each device an answer may have no longer compiles",
      (d) => schemas(d).Device.enum.push("vision-pro"),
    ],
    [
      "a status is new",
      "code that handles each status no longer compiles",
      (d) => schemas(d).Job.properties.status.enum.push("paused"),
    ],
    [
      "a status is gone",
      "code that compares with it no longer compiles",
      (d) => (schemas(d).Job.properties.status.enum = ["queued", "succeeded", "failed"]),
    ],
    [
      "the key goes into another header",
      "clients that send it as before are refused",
      (d) => (d.components.securitySchemes.apiKey.name = "x-token"),
    ],
    [
      "an answer has another status",
      "code that reads types by status no longer compiles",
      (d) => {
        const { responses } = narratives(d);
        responses[202] = responses[200];
        delete responses[200];
      },
    ],
    [
      "an answer may also have no body",
      "code that reads it without looking fails",
      (d) => (adding(d).responses[204] = { description: "Known." }),
    ],
    [
      "a field that has to be given no longer has a default",
      "code that leaves it out no longer compiles",
      (d) => delete added(d).properties.locale.default,
    ],
    [
      "a field to give has a format",
      "strings that were accepted are refused",
      (d) => (added(d).properties.title.format = "uuid"),
    ],
    [
      "a body has to be given",
      "code that leaves it out no longer compiles",
      (d) => (adding(d).requestBody.required = true),
    ],
    [
      "every way to authenticate is needed at once",
      "clients that use one are refused",
      (d) => (d.security = [{ bearer: [], apiKey: [] }]),
    ],
    [
      "an answer is no longer JSON",
      "code that reads it fails",
      (d) => {
        narratives(d).responses[200].content = { "text/plain": { schema: { type: "string" } } };
      },
    ],
    [
      "a way to authenticate is gone",
      "clients that use it are refused",
      (d) => {
        delete d.components.securitySchemes.apiKey;
        d.security = [{ bearer: [] }];
      },
    ],
  ],
  additive: [
    [
      "an operation gets a body that may be given",
      "calls without it go on",
      (d) => {
        const content = { "application/json": { schema: { type: "object" } } };
        d.paths["/public/v1/apps/{appId}"].delete.requestBody = { content };
      },
    ],
    [
      "an operation is new",
      "nobody calls it yet",
      (d) => (d.paths["/public/v1/credits"] = { get: { responses: { 204: { description: "" } } } }),
    ],
    [
      "a method is new",
      "nobody calls it yet",
      (d) => (d.paths["/public/v1/narratives"].head = { responses: { 204: { description: "" } } }),
    ],
    ["a field may be given", "nobody gives it yet", (d) => (body(d).properties.locale = { type: "string" })],
    [
      "a field need no longer be given",
      "code that gives it goes on",
      (d) => (body(d).required = ["appId", "count"]),
    ],
    [
      "a value may be given",
      "code that gives the others goes on",
      (d) => body(d).properties.captionLength.enum.push("medium"),
    ],
    [
      "a longest length is raised",
      "what was accepted is accepted",
      (d) => (listing(d).properties.extraContext.maxLength = 4000),
    ],
    [
      "a longest length is no longer stated",
      "what was accepted is accepted",
      (d) => delete listing(d).properties.extraContext.maxLength,
    ],
    [
      "a greatest number is raised",
      "what was accepted is accepted",
      (d) => (body(d).properties.count.maximum = 20),
    ],
    [
      "an integer to give may be a fraction",
      "what was accepted is accepted",
      (d) => (body(d).properties.count.type = "number"),
    ],
    [
      "a field to give may be null",
      "what was accepted is accepted",
      (d) => (body(d).properties.narrativeId.type = ["string", "null"]),
    ],
    [
      "a parameter may be given",
      "nobody gives it yet",
      (d) => narratives(d).parameters.push({ name: "page", in: "query", schema: { type: "integer" } }),
    ],
    [
      "an answer has a further field",
      "nobody reads it yet",
      (d) => (schemas(d).App.properties.locale = { type: "string" }),
    ],
    [
      "an answer always has a further field",
      "nobody reads it yet",
      (d) => {
        schemas(d).App.properties.locale = { type: "string" };
        schemas(d).App.required.push("locale");
      },
    ],
    [
      "a field of an answer is always there",
      "code that looks first goes on",
      (d) => schemas(d).Narrative.required.push("kind"),
    ],
    [
      "an idempotency key has to be given",
      "the client makes one",
      (d) => {
        const key = { name: "Idempotency-Key", in: "header", required: true, schema: { type: "string" } };
        d.paths["/public/v1/screenshots"].post.parameters = [key];
      },
    ],
    [
      "an operation needs no key",
      "the client sends one all the same",
      (d) => (d.paths["/public/v1/jobs/{id}"].get.security = []),
    ],
    [
      "slides are described",
      "code reads more of them, and what it read before is there",
      (d) => {
        schemas(d).Job.properties.result.properties.slides.items = {
          type: "object",
          properties: { caption: { type: "string" } },
          additionalProperties: true,
        };
      },
    ],
    [
      "errors are described",
      "their bodies are taken as they come",
      (d) => {
        d.components.responses.Unauthorized.content = { "application/json": { schema: { type: "object" } } };
      },
    ],
    [
      "a further error is described",
      "it is met today, or it will be",
      (d) => {
        d.paths["/public/v1/screenshots"].post.responses[402] = { description: "No credits left." };
      },
    ],
    [
      "an operation is on its way out",
      "it still works, and editors say so",
      (d) => (narratives(d).deprecated = true),
    ],
    [
      "a further way to authenticate",
      "the others go on",
      (d) => {
        d.components.securitySchemes.basic = { type: "http", scheme: "basic" };
        d.security.push({ basic: [] });
      },
    ],
  ],
  docs: [
    [
      "a description is another",
      "words bind nobody",
      (d) => (schemas(d).App.properties.name.description = "The name."),
    ],
    ["a summary is gone", "words bind nobody", (d) => delete d.paths["/public/v1/apps"].post.summary],
    ["an example is new", "examples bind nobody", (d) => (schemas(d).App.properties.name.example = "Calm")],
    [
      "the document has another version",
      "it is the SDK's version that counts",
      (d) => (d.info.version = "7.0.0"),
    ],
    [
      "tags are others",
      "they only sort the documentation",
      (d) => {
        d.tags = [{ name: "All" }];
        d.paths["/public/v1/apps"].post.tags = ["All"];
      },
    ],
    ["an extension is new", "extensions bind nobody", (d) => (narratives(d)["x-owner"] = "planning")],
    [
      "the servers are others",
      "the base URL is given to the client",
      (d) => (d.servers = [{ url: "https://api.example.com/api/v1" }]),
    ],
    [
      "a default is stated",
      "the service says what it did before",
      (d) => (listing(d).properties.extraContext.default = ""),
    ],
    [
      "the operations of the SDK have other names",
      "the SDK has its own names for them",
      (d) => (d.paths["/public/v1/apps"].post.operationId = "apps_create"),
    ],
    [
      "a further operation has another name",
      "it is called by its path",
      (d) => (narratives(d).operationId = "getNarratives"),
    ],
    [
      "a 401 is no longer listed",
      "every error is taken as it comes",
      (d) => delete d.paths["/public/v1/apps"].post.responses[401],
    ],
    [
      "any further field is allowed in another way",
      "it says the same",
      (d) => (schemas(d).App.unevaluatedProperties = {}),
    ],
    [
      "ways to authenticate have other names",
      "they are the same ways",
      (d) => {
        const { bearer, apiKey } = d.components.securitySchemes;
        d.components.securitySchemes = { HTTPBearer: { ...bearer, bearerFormat: "JWT" }, ApiKeyAuth: apiKey };
        apiKey.name = "X-API-Key";
        d.security = [{ HTTPBearer: [] }, { ApiKeyAuth: [] }];
      },
    ],
    [
      "each operation says how to authenticate",
      "it says the same",
      (d) => {
        for (const item of Object.values<Document>(d.paths)) {
          for (const operation of Object.values<Document>(item)) operation.security = d.security;
        }
        delete d.security;
      },
    ],
    [
      "a way to authenticate is described that nothing requires",
      "nobody can use it",
      (d) => (d.components.securitySchemes.basic = { type: "http", scheme: "basic" }),
    ],
    [
      "the headers that the client sends are listed",
      "it sends them already",
      (d) => {
        const key = { name: "x-api-key", in: "header", required: true, schema: { type: "string" } };
        d.paths["/public/v1/screenshots"].post.parameters = [key];
      },
    ],
    [
      "a path declares the parameters of its operations",
      "it says the same",
      (d) => {
        const item = d.paths["/public/v1/apps/{appId}"];
        item.parameters = item.delete.parameters;
        delete item.delete.parameters;
      },
    ],
    [
      "what is the default is stated",
      "it says the same",
      (d) => {
        Object.assign(narratives(d).parameters[0], { required: false, style: "form", explode: true });
        adding(d).requestBody.required = false;
        adding(d).deprecated = false;
      },
    ],
    [
      "a body is taken as a form no more",
      "the client sends JSON",
      (d) => delete adding(d).requestBody.content["multipart/form-data"],
    ],
    [
      "an answer has other headers and links, and an operation other servers",
      "no caller sees them",
      (d) => {
        delete adding(d).responses[201].headers;
        adding(d).responses[201].links = { all: { operationId: "listNarratives" } };
        adding(d).servers = [{ url: "https://write.example.com/api/v1" }];
      },
    ],
    [
      "answers have other limits, formats and defaults",
      "answers are not held to them",
      (d) => {
        schemas(d).App.properties.artworkUrl.format = "uri";
        schemas(d).App.additionalProperties = false;
        Object.assign(schemas(d).Narrative.properties.slug, { maxLength: 9, pattern: "^a" });
        schemas(d).Narrative.properties.rank = { type: "integer", maximum: 9, default: 2 };
      },
    ],
    [
      "a choice of types is listed in another way",
      "it says the same",
      (d) => {
        schemas(d).Narrative.properties.owner = { oneOf: [{ type: "integer" }, { type: "string" }] };
        added(d).properties.owner = { type: ["string", "integer"] };
      },
    ],
    [
      "a bound is stated in another way",
      "it says the same",
      (d) => (added(d).properties.weight = { type: "integer", exclusiveMinimum: 0, format: "int32" }),
    ],
    [
      "an object with fields is no longer called an object",
      "everyone sees that",
      (d) => delete schemas(d).Narrative.type,
    ],
    [
      "a job's parameter has another name",
      "the SDK has its own name for it",
      (d) => {
        const { "/public/v1/jobs/{id}": item } = d.paths;
        item.get.parameters[0].name = "jobId";
        d.paths["/public/v1/jobs/{jobId}"] = item;
        delete d.paths["/public/v1/jobs/{id}"];
      },
    ],
    [
      "a set is answered with another status",
      "the SDK takes any 2xx",
      (d) => {
        const { responses } = d.paths["/public/v1/screenshots"].post;
        responses[200] = responses[201];
        delete responses[201];
      },
    ],
    [
      "what only answers hold is marked",
      "answers hold it as before",
      (d) => (schemas(d).App.properties.appId.readOnly = true),
    ],
    [
      "a component has another name",
      "the SDK's types are named after operations",
      (d) => {
        schemas(d).Listing = schemas(d).App;
        answer(d).schema.$ref = "#/components/schemas/Listing";
        delete schemas(d).App;
      },
    ],
    [
      "a component is written out in its place",
      "it says the same",
      (d) => (answer(d).schema = schemas(d).App),
    ],
    [
      "a component is put into an `allOf`",
      "it says the same",
      (d) => (answer(d).schema = { allOf: [answer(d).schema] }),
    ],
    [
      "each value of a list gets an alternative of its own",
      "it says the same",
      (d) => {
        const values: string[] = schemas(d).Device.enum;
        schemas(d).Device = { oneOf: values.map((value) => ({ const: value, title: value })) };
      },
    ],
    [
      "a list of strings no longer says that they are strings",
      "everyone sees that",
      (d) => delete schemas(d).Device.type,
    ],
    [
      "null is said in another way",
      "it says the same",
      (d) => {
        const { result, error } = schemas(d).Job.properties;
        schemas(d).JobResult = { ...result, type: "object" };
        schemas(d).Job.properties.result = {
          oneOf: [{ $ref: "#/components/schemas/JobResult" }, { type: "null" }],
        };
        schemas(d).Job.properties.error = { anyOf: [{ ...error, type: "object" }, { type: "null" }] };
      },
    ],
    [
      "OpenAPI 3.0 instead of 3.1",
      "it says the same",
      (d) => {
        d.openapi = "3.0.3";
        for (const field of ["result", "error"]) {
          Object.assign(schemas(d).Job.properties[field], { type: "object", nullable: true });
        }
      },
    ],
    [
      "the base address's path is in the paths",
      "it is the same address",
      (d) => {
        d.servers = [{ url: "https://api.example.com" }];
        d.paths = Object.fromEntries(Object.entries(d.paths).map(([path, item]) => [`/api/v1${path}`, item]));
      },
    ],
    [
      "caption styles are listed",
      "they stay open strings in the SDK",
      (d) => (body(d).properties.captionStyle.enum = ["aso-expert", "calm"]),
    ],
    [
      "fields of the answers are no longer called required",
      "the SDK counts on them as before",
      (d) => delete schemas(d).App.required,
    ],
    ["the rule for store URLs is no longer stated", "the SDK keeps it", (d) => delete listing(d).anyOf],
    ["lists are in another order", "their order means nothing", (d) => schemas(d).App.required.reverse()],
  ],
};

const parse = (...edits: Edit[]) => {
  const document = changed((own) => {
    for (const edit of edits) edit(own);
  });
  return parseDocument(JSON.stringify(document));
};

describe.concurrent.each(Object.entries(table))("it is %s that", (level, rows) => {
  test.each(rows)(
    "%s, as %s",
    async (_, __, edit) => {
      expect(await classify(parse(grown), parse(grown, edit))).toMatchObject({ level });
    },
    120_000,
  );
});

test("it is nothing that keys are in another order", async () => {
  const document = parse();
  const entries = Object.entries(document).reverse();
  expect(await classify(document, parseDocument(JSON.stringify(Object.fromEntries(entries))))).toEqual({
    level: "none",
    changes: [],
    words: [],
  });
});
