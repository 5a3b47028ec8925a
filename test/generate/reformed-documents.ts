import { changed, type Document, exampleDocument } from "../helpers/generated-module.js";

type Reform = (document: Document) => void;

const methods = ["get", "post"];
const operationsOf = (document: Document): Document[] =>
  Object.values(document.paths).flatMap((item: Document) => methods.flatMap((method) => item[method] ?? []));
const schemasOf = (document: Document): Document => document.components.schemas;

/** A copy of a value with `change` applied to every object in it, the inner ones first. */
function mapObjects(value: Document, change: (object: Document) => Document): Document {
  if (Array.isArray(value)) return value.map((item) => mapObjects(item, change));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, mapObjects(member, change)]);
  return change(Object.fromEntries(entries));
}

/** Applies `change` to every object of the document, in place. */
function everywhere(document: Document, change: (object: Document) => Document): void {
  Object.assign(document, mapObjects(document, change));
}

const inline: Reform = (document) => {
  const lookUp = (reference: string) =>
    reference
      .split("/")
      .slice(1)
      .reduce((value, key) => value[key], exampleDocument());
  const expand = (object: Document): Document =>
    typeof object.$ref === "string" ? mapObjects(lookUp(object.$ref), expand) : object;
  everywhere(document, expand);
  delete document.components.schemas;
  delete document.components.responses;
};

const asVersion30: Reform = (document) => {
  everywhere(document, (object) => {
    if (!Array.isArray(object.type)) return object;
    const [type] = object.type.filter((name: string) => name !== "null");
    return { ...object, type, nullable: true };
  });
  document.openapi = "3.0.3";
  delete document.info.license.identifier;
};

/** Numbers that may be texts, too, as ASP.NET Core 10 describes them; before OpenAPI 3.1 without their type. */
const numbersAsTexts: Reform = (document) => {
  everywhere(document, (object) => {
    if (object.type !== "integer" && object.type !== "number") return object;
    return { ...object, type: ["integer", "string"], pattern: "^-?(?:0|[1-9]\\d*)$", format: "int32" };
  });
};
const withoutNumbersTypes: Reform = (document) => {
  everywhere(document, ({ type, ...object }) =>
    type !== undefined && object.format !== "int32" ? { type, ...object } : object,
  );
};

/** Other names for components, as generators of documents give them: long ones, short ones, those of other things. */
const renameComponents: Reform = (document) => {
  const names = new Map(
    Object.keys(schemasOf(document)).map((name, index) => [
      name,
      ["Device", "Job", "constructor", "paths", "x-1", "operations", "a.b.C_Dto"][index] ?? `Schema${index}`,
    ]),
  );
  document.components.schemas = Object.fromEntries(
    Object.entries(schemasOf(document)).map(([name, schema]) => [names.get(name), schema]),
  );
  everywhere(document, (object) => {
    const [, name] = /^#\/components\/schemas\/(.+)$/.exec(object.$ref ?? "") ?? [];
    return name ? { ...object, $ref: `#/components/schemas/${names.get(name)}` } : object;
  });
};

const wrapInAllOf: Reform = (document) => {
  everywhere(document, (object) => {
    const { $ref, ...others } = object;
    return $ref?.startsWith("#/components/schemas/") ? { ...others, allOf: [{ $ref }] } : object;
  });
};

/** Bodies and answers of a part that others share and a part of their own. */
const splitIntoAllOf: Reform = (document) => {
  const schemas = schemasOf(document);
  schemas.Identified = {
    type: "object",
    required: ["appId"],
    properties: { appId: schemas.App.properties.appId },
  };
  for (const name of ["App", "CreateScreenshotsRequest"]) {
    const { appId: _, ...properties } = schemas[name].properties;
    const required = schemas[name].required.filter((field: string) => field !== "appId");
    schemas[name] = {
      description: schemas[name].description,
      allOf: [{ $ref: "#/components/schemas/Identified" }, { ...schemas[name], properties, required }],
    };
  }
  schemas.CreateScreenshotsRequest.allOf.push({ type: "object", properties: { appId: { minLength: 1 } } });
};

/** Null as an alternative of its own. */
const nullAsAlternative: Reform = (document) => {
  const { properties } = schemasOf(document).Job;
  schemasOf(document).JobResult = { ...properties.result, type: "object" };
  properties.result = { anyOf: [{ $ref: "#/components/schemas/JobResult" }, { type: "null" }] };
  properties.error = { oneOf: [{ type: "null" }, { ...properties.error, type: "object" }] };
};

const describeErrors: Reform = (document) => {
  schemasOf(document).Problem = {
    type: "object",
    required: ["error"],
    properties: {
      error: { type: "object", properties: { code: { type: "string" }, message: { type: "string" } } },
    },
  };
  const content = { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } };
  document.components.responses.Unauthorized.content = content;
  for (const operation of operationsOf(document)) {
    for (const status of [400, 402, 404, 429, "5XX", "default"]) {
      operation.responses[status] = { description: "It failed.", content };
    }
  }
};

const addOperations: Reform = (document) => {
  schemasOf(document).Narrative = {
    type: "object",
    required: ["slug"],
    properties: {
      slug: { type: "string" },
      related: { type: "array", items: { $ref: "#/components/schemas/Narrative" } },
    },
  };
  const narrative = { $ref: "#/components/schemas/Narrative" };
  const json = (schema: object) => ({ content: { "application/json": { schema } } });
  document.paths["/public/v1/narratives"] = {
    parameters: [{ name: "locale", in: "query", schema: { type: "string" } }],
    get: {
      operationId: "listNarratives",
      responses: { 200: { description: "All.", ...json({ type: "array", items: narrative }) } },
    },
    post: { requestBody: json(narrative), responses: { 201: { description: "Made.", ...json(narrative) } } },
  };
  document.paths["/public/v1/apps/{appId}"] = {
    delete: {
      operationId: "getJob",
      parameters: [{ name: "appId", in: "path", required: true, schema: { type: "string" } }],
      responses: { 204: { description: "Gone." } },
    },
  };
  document.paths["/public/v1/exports"] = {
    put: {
      requestBody: { content: { "multipart/form-data": { schema: {} } } },
      responses: { 200: { description: "", content: { "text/csv": {} } } },
    },
  };
  document.webhooks = {
    jobEnded: { post: { requestBody: json(narrative), responses: { 200: { description: "" } } } },
  };
};

const moved =
  (to: (path: string) => string, servers?: object[]): Reform =>
  (document) => {
    const paths = Object.entries(document.paths);
    document.paths = Object.fromEntries(paths.map(([path, item]) => [to(path), item]));
    if (servers) document.servers = servers;
    else delete document.servers;
  };

/** A job described once for each of its states. */
const jobByState: Reform = (document) => {
  const { id, result, error } = schemasOf(document).Job.properties;
  const none = { type: "null" };
  const inState = (status: string, fields: object) => ({
    type: "object",
    required: ["id", "status", "result", "error"],
    properties: { id, status: { type: "string", const: status }, result: none, error: none, ...fields },
  });
  schemasOf(document).Job = {
    oneOf: [
      inState("queued", {}),
      inState("running", {}),
      inState("succeeded", { result: { ...result, type: "object" } }),
      inState("failed", { error: { ...error, type: "object" } }),
    ],
    discriminator: { propertyName: "status" },
  };
};

/** Everything that the rest of the repository may not need: only what the operations are. */
const bare: Reform = (document) => {
  inline(document);
  everywhere(document, ({ description: _, summary: __, tags: ___, operationId: ____, ...object }) => object);
  for (const operation of operationsOf(document)) {
    for (const response of Object.values<Document>(operation.responses)) response.description = "";
  }
  document.info = { title: "", version: "" };
  for (const key of ["components", "security", "servers", "tags"]) delete document[key];
};

const together =
  (...parts: Reform[]): Reform =>
  (document) => {
    for (const reform of parts) reform(document);
  };

/** What the SDK knows better than the document: fields that are always there, rules, and strings that stay open. */
const sayLess: Reform = (document) => {
  const schemas = schemasOf(document);
  for (const name of ["App", "AcceptedJob", "Credits"]) delete schemas[name].required;
  delete schemas.Job.properties.result.required;
  delete schemas.CreateAppRequest.anyOf;
  const { captionStyle, narrativeId } = schemas.CreateScreenshotsRequest.properties;
  captionStyle.enum = ["aso-expert", "calm"];
  narrativeId.enum = ["journey"];
};

/** The rule for store URLs, in alternatives that say everything. */
const wholeAlternatives: Reform = (document) => {
  const { anyOf, ...body } = schemasOf(document).CreateAppRequest;
  schemasOf(document).CreateAppRequest = { oneOf: anyOf.map((rule: object) => ({ ...body, ...rule })) };
};

/** Lists of values with an alternative for each, as tools write them that have a description for each. */
const valueByValue: Reform = (document) => {
  everywhere(document, ({ enum: values, ...object }) =>
    values ? { ...object, oneOf: values.map((value: string) => ({ const: value, title: value })) } : object,
  );
};

const nameOperations =
  (...names: (string | undefined)[]): Reform =>
  (document) => {
    for (const [index, operation] of operationsOf(document).entries()) operation.operationId = names[index];
  };

/** The service's own document in forms that say the same, and with more than the SDK has methods for. */
export const reforms: [what: string, reform: Reform][] = [
  ["is OpenAPI 3.0, with `nullable`", asVersion30],
  ["has everything in its place, and no component", inline],
  ["gives its components other names", renameComponents],
  ["says that numbers may be texts", numbersAsTexts],
  ["says so in OpenAPI 3.0", together(numbersAsTexts, withoutNumbersTypes, asVersion30)],
  ["wraps every reference in an `allOf`, in OpenAPI 3.0", together(asVersion30, wrapInAllOf)],
  ["composes bodies and answers of parts", splitIntoAllOf],
  ["gives its operations other names", nameOperations("getJob", "apps/create", "v1.Jobs_find")],
  ["gives its operations no names", nameOperations()],
  [
    "has other tags",
    (document) => {
      document.tags = [{ name: "public" }];
      for (const operation of operationsOf(document)) operation.tags = ["public"];
    },
  ],
  ["names no server", (document) => delete document.servers],
  [
    "names other servers",
    (document) => (document.servers = [{ url: "https://eu.example.com/api/v1" }, { url: "/" }]),
  ],
  [
    "has part of the paths in its server",
    moved((path) => path.replace("/public", ""), [{ url: "https://example.com/api/v1/public" }]),
  ],
  [
    "has the server's path in its paths once more",
    moved((path) => `/gate${path}`, [{ url: "https://example.com/gate" }]),
  ],
  [
    "calls the job's id otherwise",
    (document) => {
      moved((path) => path.replace("{id}", "{jobId}"), document.servers)(document);
      document.paths["/public/v1/jobs/{jobId}"].get.parameters[0].name = "jobId";
    },
  ],
  [
    "declares the job's id for the whole path",
    (document) => {
      const item = document.paths["/public/v1/jobs/{id}"];
      item.parameters = item.get.parameters;
      delete item.get.parameters;
    },
  ],
  ["describes its errors", describeErrors],
  ["has further operations", addOperations],
  ["says less than the SDK knows", together(sayLess, nullAsAlternative)],
  ["says with alternatives what it can", together(jobByState, wholeAlternatives, valueByValue)],
  ["is as bare as can be", bare],
  [
    "is all of that at once",
    together(
      describeErrors,
      addOperations,
      nullAsAlternative,
      splitIntoAllOf,
      renameComponents,
      wrapInAllOf,
      asVersion30,
      moved((path) => `/api/v1${path}`),
    ),
  ],
];

/** The own document after a reform. */
export function reformed(reform: Reform): Document {
  return changed(reform);
}
