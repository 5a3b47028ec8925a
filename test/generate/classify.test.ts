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
  };
  paths["/public/v1/apps/{appId}"] = {
    delete: {
      operationId: "deleteApp",
      parameters: [{ name: "appId", in: "path", required: true, schema: { type: "string" } }],
      responses: { 204: { description: "Gone." } },
    },
  };
};

const narratives = ({ paths }: Document) => paths["/public/v1/narratives"].get;
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
      "code that leaves it out no longer compiles",
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
  });
});
