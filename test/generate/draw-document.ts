import fc from "fast-check";
import { changed, type Document } from "../helpers/generated-module.js";
import { refer } from "./schemas.js";

/** The forms that the same service may have in a document. Of those of a job the last leave out what is null. */
const forms = {
  version: ["3.0.3", "3.1.0", "3.2.0"],
  job: ["whole", "union", "base", "by answer", "union of parts"],
  null: ["typed", "alternative", "undescribed"],
  media: ["application/json", "*/*", "application/*", "text/json", "application/vnd.sets+json; v=1"],
  place: ["referred", "inline", "wrapped", "elsewhere"],
  required: ["listed", "unlisted"],
  rule: ["stated", "unstated", "in whole alternatives"],
  values: ["listed", "one by one"],
  body: ["own", "shared with the answer"],
  composed: ["whole", "of parts"],
  defaults: ["optional", "required"],
  header: ["none", "optional", "idempotency", "optional idempotency", "own"],
  numbers: ["integer", "number", "text", "either", "integer with a text's pattern"],
  cost: ["any", "const"],
  slides: ["open", "of objects", "described", "anything", "nullable"],
  kinds: [
    ...["none", "listed", "mapped", "numbered", "inherited", "inherited by name", "inline", "by field"],
  ],
  urls: ["text", "or null", "null by default", "text by default"],
  count: ["with a default", "null by default", "without a default"],
  pattern: ["", "^https://[\\p{L}\\d\\-\\_\\.\\/]+$", "(?i)^HTTPS://"],
  answerRules: ["", "foreign", "senseless"],
  data: ["", "example", "examples", "extension", "external"],
  status: [201, 200, 202, "2XX", "default"],
  errors: ["listed", "described"],
  more: ["nothing", "operations"],
  names: ["plain", "odd"],
  operationIds: ["own", "others'", "none"],
  paths: [
    ...["plain", "prefixed", "a server with a slash", "no server", "partly in a server", "in a server too"],
    ...["components", "ended by a slash", "another parameter", "another id", "an id for the whole path"],
  ],
} as const;

/** What the document of a service may be wrong about. */
const faults = ["", "number as id", "envelope", "no slides", "foreign header", "no poll"] as const;

/** One form of the service's document. */
export type Form = { [Name in keyof typeof forms]: (typeof forms)[Name][number] } & {
  fault: (typeof faults)[number];
};

const choices: [name: string, values: readonly unknown[]][] = Object.entries(forms);

/** Any form. */
export const anyForm = fc.record({
  ...Object.fromEntries(choices.map(([name, values]) => [name, fc.constantFrom(...values)])),
  fault: fc.oneof({ weight: 1, arbitrary: fc.constant("") }, fc.constantFrom(...faults)),
}) as fc.Arbitrary<unknown> as fc.Arbitrary<Form>;

/** A few forms without a fault that together have every value of every choice, in combinations that are drawn. */
export function everyValue(): Form[] {
  const shuffled = choices.map(([, values]) =>
    fc.shuffledSubarray([...values], { minLength: values.length }),
  );
  const [columns = []] = fc.sample(fc.tuple(...shuffled), 1);
  const longest = Math.max(...columns.map(({ length }) => length));
  return Array.from({ length: longest }, (_, row) => {
    const drawn = choices.map(([name], index) => {
      const column = columns[index] as unknown[];
      return [name, column[row % column.length]];
    });
    return { ...Object.fromEntries(drawn), fault: "" };
  });
}

/** Whether the service leaves out of a job what is null. */
export const leavesOut = ({ job }: Form) => job === "union of parts" || job === "by answer" || job === "base";

type Reform = (document: Document, form: Form) => void;

const id = { type: "string" };

function orNull(schema: Document, form: Form): Document {
  if (form.version === "3.0.3") {
    return schema.$ref ? { allOf: [schema], nullable: true } : { ...schema, nullable: true };
  }
  return form.null === "typed"
    ? { ...schema, type: [schema.type, "null"].flat() }
    : { anyOf: [schema, { type: "null" }] };
}

function inState(statuses: string[], fields: Document): Document {
  return {
    type: "object",
    required: ["id", "status", ...Object.keys(fields)],
    properties: { id, status: { type: "string", enum: statuses }, ...fields },
  };
}

const reformCredits: Reform = ({ components: { schemas } }, { numbers, cost, version }) => {
  // ASP.NET Core 10 describes numbers so, before OpenAPI 3.1 without a type.
  const type = version === "3.0.3" ? {} : { type: ["integer", "string"] };
  const number = {
    integer: { type: "integer" },
    number: { type: "number" },
    text: { type: "string", pattern: "^\\d+$" },
    either: { oneOf: [{ type: "string" }, { type: "number" }] },
    "integer with a text's pattern": { ...type, pattern: "^-?(?:0|[1-9]\\d*)$", format: "int32" },
  }[numbers];
  const { count } = schemas.CreateScreenshotsRequest.properties;
  if (numbers.startsWith("integer with")) {
    delete count.type;
    Object.assign(count, number);
  }
  const ten = version === "3.0.3" ? { type: "integer", enum: [10] } : { const: 10 };
  const isTen = cost === "const" && numbers === "integer";
  schemas.Credits.properties = { cost: isTen ? ten : number, remaining: number };
};

/** The tag of a slide with a caption. */
export const tagOf = ({ kinds }: Form) =>
  (({ numbered: 1, "inherited by name": "Caption" }) as Record<string, unknown>)[kinds] ?? "caption";

/** A slide that has a caption or a URL. */
function slideOfKinds(schemas: Document, kinds: Form["kinds"]): Document {
  const part = (kind: object, field: string) => ({
    type: "object",
    required: kinds === "by field" ? [field] : ["kind", field],
    properties: { ...(kinds !== "by field" && { kind }), [field]: id },
  });
  const parts = (one: object, other = one) => [part(one, "caption"), part(other, "url")];
  const components = (one: object, other = one) => {
    const [Caption, Image] = parts(one, other);
    Object.assign(schemas, { Caption, Image });
    return [refer("Caption"), refer("Image")];
  };
  // A bare name is as good as a reference.
  const mapping = { caption: "#/components/schemas/Caption", image: "Image" };
  const discriminator = { propertyName: "kind", mapping };
  if (kinds === "listed") {
    const oneOf = components({ enum: ["caption"] }, { enum: ["image"] });
    return { oneOf, discriminator: { propertyName: "kind" } };
  }
  if (kinds === "mapped") return { anyOf: components(id), discriminator };
  if (kinds === "numbered") {
    const numbers = { 1: mapping.caption, 2: mapping.image };
    return { oneOf: components({ type: "integer" }), discriminator: { ...discriminator, mapping: numbers } };
  }
  if (kinds.startsWith("inherited")) {
    const base = kinds === "inherited" ? discriminator : { propertyName: "kind" };
    schemas.Slide = { type: "object", required: ["kind"], properties: { kind: id }, discriminator: base };
    const [Caption, Image] = parts(id).map((own) => ({ allOf: [refer("Slide"), own] }));
    Object.assign(schemas, { Caption, Image });
    return refer("Slide");
  }
  const inline = parts({ const: "caption" }, { const: "image" });
  return kinds === "inline" ? { oneOf: inline } : { anyOf: inline };
}

const reformJob: Reform = (document, form) => {
  const { schemas } = document.components;
  const slide = {
    open: { type: "object", additionalProperties: true },
    "of objects": { type: "object", additionalProperties: { type: "object" } },
    described: { type: "object", required: ["caption"], properties: { caption: { type: "string" } } },
    anything: {},
    nullable: { type: "object" },
  }[form.slides];
  const slides = { type: "array", items: form.kinds === "none" ? slide : slideOfKinds(schemas, form.kinds) };
  const properties = {
    device: refer("Device"),
    ...(form.fault !== "no slides" && { slides: form.slides === "nullable" ? orNull(slides, form) : slides }),
  };
  const result = { type: "object", required: Object.keys(properties), properties };
  const error = { type: "object", additionalProperties: true };
  const undescribed = form.null === "undescribed" ? {} : { type: "null" };
  const none = form.version === "3.0.3" ? { type: "object", nullable: true } : undescribed;
  const statuses = ["queued", "running", "succeeded", "failed"];
  const whole = inState(statuses, { result: orNull(result, form), error: orNull(error, form) });
  const isWhole = form.job === "union";
  const parts = {
    Open: inState(["queued", "running"], isWhole ? { result: none, error: none } : {}),
    Done: inState(["succeeded"], isWhole ? { result, error: none } : { result }),
    Failed: inState(["failed"], isWhole ? { result: none, error } : { error }),
  };
  const union = { oneOf: Object.keys(parts).map(refer), discriminator: { propertyName: "status" } };
  const names = ["Open", "Open", "Done", "Failed"];
  const mapping = Object.fromEntries(
    statuses.map((status, index) => [status, refer(String(names[index])).$ref]),
  );
  const base = {
    type: "object",
    required: ["id", "status"],
    properties: { id, status: { type: "string" } },
    discriminator: { propertyName: "status", mapping },
  };
  const extended = (properties: object) => ({ allOf: [refer("Job"), { type: "object", properties }] });
  if (form.job.startsWith("union")) Object.assign(schemas, parts, { Job: union });
  else if (form.job !== "base") schemas.Job = whole;
  else
    Object.assign(schemas, {
      Job: base,
      Open: extended({}),
      Done: extended({ result }),
      Failed: extended({ error }),
    });
  if (form.job !== "by answer") return;
  const content = { "application/json": { schema: parts.Open } };
  document.paths["/public/v1/jobs/{id}"].get.responses[202] = { description: "", content };
};

/** An app and what makes one, in one component, where each field says which way it goes. */
const shareBody: Reform = ({ components: { schemas } }, { body }) => {
  if (body === "own") return;
  const flagged = (schema: Document, flag: string) =>
    Object.fromEntries(
      Object.entries<Document>(schema.properties).map(([name, field]) => [name, { ...field, [flag]: true }]),
    );
  const properties = {
    ...flagged(schemas.App, "readOnly"),
    ...flagged(schemas.CreateAppRequest, "writeOnly"),
  };
  schemas.App = { ...schemas.App, properties };
  schemas.CreateAppRequest = { allOf: [refer("App")] };
};

/** Fields that two parts of an `allOf` describe, of which others share one. */
const compose: Reform = ({ components: { schemas } }, { composed }) => {
  if (composed === "whole") return;
  schemas.Identified = { type: "object", properties: { appId: schemas.App.properties.appId } };
  for (const name of ["App", "CreateScreenshotsRequest"]) {
    const { appId: _, ...properties } = schemas[name].properties;
    const own = { ...schemas[name], properties };
    schemas[name] = { allOf: [refer("Identified"), own, { properties: { appId: { minLength: 2 } } }] };
  }
};

const reformBodies: Reform = ({ components: { schemas } }, form) => {
  const { required } = schemas.CreateScreenshotsRequest;
  if (form.defaults === "required") required.push("captionStyle", "captionLength");
  const { count } = schemas.CreateScreenshotsRequest.properties;
  if (form.count !== "with a default") {
    schemas.CreateScreenshotsRequest.required = required.filter((name: string) => name !== "count");
    delete count.default;
  }
  if (form.count === "null by default") {
    schemas.CreateScreenshotsRequest.properties.count = { ...orNull(count, form), default: null };
  }
  const { properties } = form.body === "own" ? schemas.CreateAppRequest : schemas.App;
  for (const name of ["iosUrl", "androidUrl"]) {
    if (form.pattern) properties[name].pattern = form.pattern;
    if (form.urls.includes("null")) properties[name] = orNull(properties[name], form);
    if (form.urls === "null by default") properties[name].default = null;
    if (form.urls === "text by default") properties[name].default = "https://apps.apple.com/app/id2";
  }
};

/** The rule that one store URL is enough, which the SDK keeps if the document does not state it. */
const reformRule: Reform = ({ components: { schemas } }, form) => {
  const { anyOf, ...body } = schemas.CreateAppRequest;
  if (form.body !== "own" || form.rule === "stated") return;
  const whole = { oneOf: anyOf.map((rule: object) => ({ ...body, ...rule })) };
  schemas.CreateAppRequest = form.rule === "unstated" ? body : whole;
};

/** Constraints of an answer, for which nothing is checked. */
const constrainAnswers: Reform = ({ components: { schemas } }, { answerRules, body, place }) => {
  // A body's constraints are checked, and those of a component that nothing refers to.
  if (body !== "own" || place === "inline" || place === "elsewhere") return;
  if (answerRules === "foreign") schemas.App.properties.artworkUrl.pattern = "(?i)^https://";
  if (answerRules === "senseless") Object.assign(schemas.App.properties.name, { minLength: "3", pattern: 7 });
};

/** Data that looks like references. */
const addData: Reform = ({ paths, components: { schemas } }, { data }) => {
  const value = { owner: { $ref: "https://example.com/users/1" } };
  const json = paths["/public/v1/apps"].post.requestBody.content["application/json"];
  if (data === "example") schemas.Credits.example = value;
  if (data === "examples") json.examples = { one: { value } };
  if (data === "extension") schemas.Credits["x-owner"] = value.owner;
  if (data === "external") json.examples = { one: { externalValue: "https://example.com/one.json" } };
};

const requireLess: Reform = ({ components: { schemas } }, { required }) => {
  if (required === "listed") return;
  for (const name of ["App", "AcceptedJob", "Credits"]) delete schemas[name].required;
  const { captionStyle, narrativeId } = schemas.CreateScreenshotsRequest.properties;
  captionStyle.enum = ["aso-expert", "calm"];
  narrativeId.enum = ["journey"];
};

/** Errors, webhooks, and operations that nothing of the SDK is about. */
const addMore: Reform = (document, { errors, more }) => {
  const { paths, components } = document;
  const content = { "application/problem+json": { schema: { type: "object", properties: { code: id } } } };
  for (const { responses } of errors === "described" ? operationsOf(document) : []) {
    const failures = [400, 402, 404, 429, "5XX"].map((status) => [
      status,
      { description: "It failed.", content },
    ]);
    Object.assign(responses, Object.fromEntries(failures));
    components.responses.Unauthorized.content = content;
  }
  if (more === "nothing") return;
  const related = { type: "array", items: refer("Narrative") };
  components.schemas.Narrative = { type: "object", required: ["slug"], properties: { slug: id, related } };
  const json = (schema: object) => ({ content: { "application/json": { schema } } });
  const created = {
    requestBody: json(refer("Narrative")),
    responses: { 201: { description: "", ...json(related) } },
  };
  const form = { content: { "multipart/form-data": { schema: {} } } };
  const csv = { 200: { description: "", content: { "text/csv": {} } } };
  const parameters = [{ name: "locale", in: "query", schema: id }];
  paths["/public/v1/narratives"] = { parameters, post: { operationId: "getJob", ...created } };
  paths["/public/v1/exports"] = { put: { requestBody: form, responses: csv } };
  document.webhooks = { jobEnded: { post: created } };
};

const addHeader: Reform = ({ paths }, { header, fault }) => {
  const key = "Idempotency-Key";
  const names = {
    own: "X-Api-Key",
    none: undefined,
    optional: "X-Trace",
    idempotency: key,
    "optional idempotency": key,
  };
  const name = fault === "foreign header" ? "X-Tenant" : names[header];
  const required = !header.startsWith("optional") || fault === "foreign header";
  if (name) paths["/public/v1/screenshots"].post.parameters = [{ name, in: "header", required, schema: id }];
};

const spoil: Reform = ({ paths, components: { schemas } }, { fault }) => {
  if (fault === "number as id") schemas.AcceptedJob.properties.jobId = { type: "integer" };
  if (fault === "envelope")
    schemas.AcceptedJob = { type: "object", properties: { data: schemas.AcceptedJob } };
  if (fault === "no poll") delete paths["/public/v1/jobs/{id}"];
};

const reformAnswers: Reform = (document, { status, media, place }) => {
  const { paths, components } = document;
  const { responses } = paths["/public/v1/screenshots"].post;
  const { 201: accepted, ...others } = responses;
  paths["/public/v1/screenshots"].post.responses = { ...others, [status]: accepted };
  const operations = operationsOf(document);
  if (place === "elsewhere") document["x-schemas"] = { ...components.schemas };
  for (const { requestBody } of operations) {
    if (requestBody) requestBody.content = { [media]: requestBody.content["application/json"] };
  }
  for (const response of operations.flatMap(({ responses }) => Object.values<Document>(responses))) {
    const { schema } = response.content?.["application/json"] ?? {};
    const inline = schema?.$ref ? components.schemas[schema.$ref.split("/")[3]] : schema;
    const elsewhere = { $ref: schema?.$ref?.replace("components/schemas", "x-schemas") };
    const placed = { referred: schema, inline, wrapped: { allOf: [schema] }, elsewhere }[place];
    if (schema) response.content = { [media]: { schema: placed } };
  }
};

/** Applies `change` to every object of the document, the inner ones first. */
function everywhere(document: Document, change: (object: Document) => Document): void {
  const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
  const revived = JSON.parse(JSON.stringify(document), (_, value) =>
    isObject(value) ? change(value) : value,
  );
  Object.assign(document, revived);
}

const operationsOf = ({ paths }: Document): Document[] =>
  Object.values<Document>(paths).flatMap(({ get, post }) => get ?? post ?? []);

const oddNames = { App: "constructor", Credits: "paths", AcceptedJob: "x-1", Device: "a.b.C_Dto" };

const rename: Reform = (document, { names, operationIds, values }) => {
  const oneByOne = ({ enum: listed, ...schema }: Document) => ({
    ...schema,
    oneOf: listed.map((value: unknown) => ({ const: value })),
  });
  everywhere(document, (object) =>
    values === "one by one" && object.enum?.length > 1 ? oneByOne(object) : object,
  );
  for (const [name, odd] of names === "odd" ? Object.entries(oddNames) : []) {
    const { [name]: schema, ...others } = document.components.schemas;
    document.components.schemas = { ...others, [odd]: schema };
    everywhere(document, (object) => (object.$ref === refer(name).$ref ? refer(odd) : object));
  }
  const ids = { own: undefined, "others'": ["getJob", "apps/create", "v1.Jobs_find"], none: [] }[
    operationIds
  ];
  for (const [index, operation] of operationsOf(document).entries()) {
    if (ids) operation.operationId = ids[index];
  }
};

/** Where paths go, and the server that they are below. */
const moves: { [Name in Form["paths"]]?: [to: (path: string) => string, server?: string] } = {
  prefixed: [(path) => `/api/v1${path}`],
  "ended by a slash": [(path) => `${path}/`],
  "a server with a slash": [(path) => path, "https://api.example.com/api/v1/"],
  "partly in a server": [(path) => path.replace("/public", ""), "https://example.com/api/v1/public"],
  "in a server too": [(path) => `/gate${path}`, "https://example.com/gate"],
  "another id": [(path) => path.replace("{id}", "{jobId}")],
};

const reformPaths: Reform = (document, form) => {
  const { paths, components } = document;
  if (form.paths === "components") {
    components.pathItems = { apps: paths["/public/v1/apps"] };
    paths["/public/v1/apps"] = { $ref: "#/components/pathItems/apps" };
  }
  const [to, server] = moves[form.paths] ?? [];
  if (to) document.paths = Object.fromEntries(Object.entries(paths).map(([path, item]) => [to(path), item]));
  if (server) document.servers = [{ url: server }];
  if (form.paths === "no server") delete document.servers;
  document.openapi = form.version;
  const { "/public/v1/jobs/{id}": item } = paths;
  if (!item) return;
  const parameters = [{ name: "jobId", in: "path", required: true, schema: id }];
  if (form.paths === "another parameter") {
    const gone = { 204: { description: "Gone." } };
    paths["/public/v1/jobs/{jobId}"] = { delete: { parameters, responses: gone } };
  }
  if (form.paths === "another id") item.get.parameters = parameters;
  if (form.paths === "an id for the whole path") {
    item.parameters = item.get.parameters;
    delete item.get.parameters;
  }
};

const reforms = [
  ...[reformCredits, reformJob, shareBody, reformBodies, reformRule, requireLess, addHeader],
  ...[spoil, constrainAnswers, compose, addData, addMore, rename, reformAnswers, reformPaths],
];

/** The document of the service in a form. */
export function documentIn(form: Form): Document {
  return changed((document) => {
    for (const reform of reforms) reform(document, form);
  });
}
