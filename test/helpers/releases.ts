import type { Document } from "./generated-module.js";

/** A release of the service: what its document says then, and what users of the SDK read of it. */
export interface Release {
  what: string;
  edit(document: Document): void;
  level: "breaking" | "additive" | "docs";
  sentences: string[];
}

const text = { type: "string" };
const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ "application/json": { schema } });
const answer = (schema: object) => ({ description: "", content: json(schema) });
const id = { name: "id", in: "path", required: true, schema: text };
const unauthorized = { 401: { $ref: "#/components/responses/Unauthorized" } };

const operationsOf = ({ paths }: Document): Document[] =>
  Object.values<Document>(paths).flatMap((item) => Object.values<Document>(item));

/** What a year may bring, one release at a time. */
export const releases: Release[] = [
  {
    what: "an optional field",
    edit: ({ components: { schemas } }) => {
      schemas.CreateScreenshotsRequest.properties.locale = {
        ...text,
        description: "Language of the captions.",
      };
    },
    level: "additive",
    sentences: ["`screenshots.create` takes `locale`"],
  },
  {
    what: "one more device",
    edit: ({ components: { schemas } }) => schemas.Device.enum.push("vision-pro"),
    level: "additive",
    sentences: [
      "`result.device` of the answer of `jobs.get` may also be `vision-pro`",
      "`device` of `screenshots.create` may also be `vision-pro`",
    ],
  },
  {
    what: "a field renamed, the old one deprecated",
    edit: ({ components: { schemas } }) => {
      const { properties } = schemas.CreateAppRequest;
      properties.context = { ...properties.extraContext };
      properties.extraContext.deprecated = true;
    },
    level: "additive",
    sentences: ["`apps.create` takes `context`", "`extraContext` of `apps.create` is deprecated"],
  },
  {
    what: "an operation that reads an app",
    edit: ({ paths }) => {
      const responses = { 200: answer(refer("App")), ...unauthorized };
      paths["/public/v1/apps/{id}"] = { get: { operationId: "getApp", parameters: [id], responses } };
    },
    level: "additive",
    sentences: ['`client.request("GET", "/public/v1/apps/{id}")` is typed'],
  },
  {
    what: "a list of jobs with a cursor, and a way to delete one",
    edit: ({ paths, components: { schemas } }) => {
      schemas.JobList = {
        type: "object",
        required: ["jobs", "next"],
        properties: { jobs: { type: "array", items: refer("Job") }, next: { type: ["string", "null"] } },
      };
      const parameters = [
        { name: "cursor", in: "query", schema: text },
        { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 100, default: 20 } },
      ];
      const responses = { 200: answer(refer("JobList")), ...unauthorized };
      paths["/public/v1/jobs"] = { get: { operationId: "listJobs", parameters, responses } };
      const deleted = { 204: { description: "It is gone." }, ...unauthorized };
      paths["/public/v1/jobs/{id}"].delete = {
        operationId: "deleteJob",
        parameters: [id],
        responses: deleted,
      };
    },
    level: "additive",
    sentences: [
      'each of `client.request("GET", "/public/v1/jobs")` and `client.request("DELETE", "/public/v1/jobs/{id}")` is typed',
    ],
  },
  {
    what: "a webhook and a callback",
    edit: (document) => {
      const post = { requestBody: { content: json(refer("Job")) }, responses: { 204: { description: "" } } };
      document.webhooks = { jobEnded: { post } };
      const create = document.paths["/public/v1/screenshots"].post;
      create.callbacks = { ended: { "{$request.body#/callbackUrl}": { post } } };
      document.components.schemas.CreateScreenshotsRequest.properties.callbackUrl = text;
    },
    level: "additive",
    sentences: [
      "the service has the webhook `jobEnded`, for which there are no types",
      "`screenshots.create` takes `callbackUrl`",
      "`screenshots.create` has the callback `ended`, for which there are no types",
    ],
  },
  {
    what: "a limit of requests, told by headers",
    edit: (document) => {
      const header = { schema: { type: "integer" } };
      const headers = { "RateLimit-Limit": header, "RateLimit-Remaining": header };
      document.components.responses.TooMany = {
        description: "",
        headers: { ...headers, "Retry-After": header },
      };
      for (const { responses } of operationsOf(document)) {
        for (const [status, one] of Object.entries<Document>(responses))
          if (status < "3") one.headers = headers;
        responses[429] = { $ref: "#/components/responses/TooMany" };
      }
    },
    level: "additive",
    sentences: [
      "the document describes the answer 429 of every operation",
      "answers of every operation may have the headers `RateLimit-Limit`, `RateLimit-Remaining` and `Retry-After`",
    ],
  },
  {
    what: "errors that are documented",
    edit: ({ paths, components: { schemas, responses } }) => {
      schemas.Problem = { type: "object", required: ["detail"], properties: { detail: text, code: text } };
      const problem = { description: "Refused.", content: json(refer("Problem")) };
      Object.assign(responses.Unauthorized, problem);
      Object.assign(paths["/public/v1/apps"].post.responses, { 422: problem });
      Object.assign(paths["/public/v1/screenshots"].post.responses, {
        402: problem,
        404: problem,
        422: problem,
      });
      Object.assign(paths["/public/v1/jobs/{id}"].get.responses, { 404: problem });
    },
    level: "additive",
    sentences: [
      "the document describes the body of the answer 401 of every operation",
      "the document describes the answer 422 of `apps.create`",
      "the document describes the answer 404 of `jobs.get`",
      "the document describes the answers 402, 404 and 422 of `screenshots.create`",
    ],
  },
  {
    what: "a higher price",
    edit: ({ paths, components: { schemas } }) => {
      schemas.Credits.properties.cost.description = "Credits charged for this job (12).";
      const { post } = paths["/public/v1/screenshots"];
      post.description = post.description.replace("10", "12");
    },
    level: "breaking",
    sentences: ["a set costs 12 credits, no longer 10"],
  },
  {
    what: "a further end of a job",
    edit: ({ components: { schemas } }) => schemas.Job.properties.status.enum.push("canceled"),
    level: "breaking",
    sentences: [
      "`status` of the answer of `jobs.get` may also be `canceled`, and such a job has ended once it has an `error` or a `result`",
    ],
  },
  {
    what: "OAuth2 beside the key",
    edit: (document) => {
      const flow = { tokenUrl: "https://example.com/token", scopes: { "sets:write": "Plan sets." } };
      document.components.securitySchemes.oauth = { type: "oauth2", flows: { clientCredentials: flow } };
      document.security.push({ oauth: ["sets:write"] });
    },
    level: "additive",
    sentences: ["every operation takes OAuth2 as well"],
  },
  {
    what: "another version of the address",
    edit: (document) => {
      document.servers = [{ url: "https://api.example.com/api/v2" }];
    },
    level: "breaking",
    sentences: [
      "the service's base URL is `https://api.example.com/api/v2`, no longer one that ends in `/api/v1`",
    ],
  },
];
