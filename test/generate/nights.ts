import type { Document } from "../helpers/generated-module.js";
import { releases } from "./releases.js";
import { json, operationsOf, text } from "./schemas.js";

/** A night on which the service publishes what it has become, or something that cannot be taken in. */
export interface Night {
  what: string;
  edit(document: Document): unknown;
  /** That night alone: the next one begins with the document of the night before. */
  isPassing?: true;
  /** Nobody merges the pull request. */
  isLeftOpen?: true;
}

/** A year of releases, each upon the one before. */
export const year: Night[] = [
  ...releases,
  {
    what: "slides and errors of jobs that are described",
    edit: ({ components: { schemas } }) => {
      const { result, error } = schemas.Job.properties;
      const properties = {
        index: { type: "integer" },
        caption: { type: ["string", "null"] },
        imageUrl: text,
      };
      result.properties.slides.items = { type: "object", required: ["index", "caption"], properties };
      Object.assign(error, { required: ["code"], properties: { code: text } });
    },
  },
  {
    what: "caption styles that are listed, and a price of an app",
    edit: ({ paths, components: { schemas } }) => {
      schemas.CreateScreenshotsRequest.properties.captionStyle.enum = ["aso-expert", "playful"];
      paths["/public/v1/apps"].post.description = "Creates an app from a listing, for 2 credits.";
    },
  },
  {
    what: "a pattern of store URLs",
    edit: ({ components: { schemas } }) => {
      const { iosUrl } = schemas.CreateAppRequest.properties;
      iosUrl.pattern = "^https://(itunes|apps)\\.apple\\.com/.*?\\d+";
    },
  },
  {
    what: "forty devices",
    edit: ({ components: { schemas } }) =>
      schemas.Device.enum.push(...Array.from({ length: 33 }, (_, index) => `device-${index}`)),
  },
  {
    what: "fields and values that will go",
    edit: ({ paths, components: { schemas } }) => {
      const { extraContext } = schemas.CreateAppRequest.properties;
      Object.assign(extraContext, { "x-sunset": "2027-03-01", "x-replaced-by": "context" });
      schemas.CreateScreenshotsRequest.properties.captionLength = {
        oneOf: [{ const: "short" }, { const: "long", deprecated: true, description: "Use `short`." }],
        default: "short",
      };
      const { get } = paths["/public/v1/jobs"];
      Object.assign(get, {
        deprecated: true,
        "x-sunset-date": "2027-06-30",
        "x-successor": "/public/v2/jobs",
      });
    },
  },
  {
    what: "a price by device",
    edit: ({ paths, components: { schemas } }) => {
      schemas.Credits.properties.cost.description = "Credits charged for this job: 15 for iPad, 12 else.";
      paths["/public/v1/screenshots"].post.description = "It costs 15 credits for iPad and 12 for all else.";
    },
  },
  {
    what: "a lower limit and another default",
    edit: ({ components: { schemas } }) => {
      Object.assign(schemas.CreateScreenshotsRequest.properties.count, { maximum: 8, default: 4 });
    },
  },
];

/** Odd nights. */
export const oddNights: Night[] = [
  {
    what: "the same in another order",
    edit: (document) =>
      JSON.stringify(document, (_, value) =>
        Array.isArray(value) || !(value instanceof Object)
          ? value
          : Object.fromEntries(Object.entries(value).reverse()),
      ),
  },
  { what: "a page of HTML", edit: () => "<!doctype html><title>Sign in</title>", isPassing: true },
  {
    what: "an operation that is gone",
    edit: ({ paths }) => delete paths["/public/v1/jobs/{id}"],
    isPassing: true,
  },
  {
    what: "a header that nobody can give",
    edit: ({ paths }) => {
      const header = { name: "X-Tenant", in: "header", required: true, schema: text };
      paths["/public/v1/screenshots"].post.parameters = [header];
    },
    isPassing: true,
  },
  {
    what: "ids that are numbers",
    edit: ({ components: { schemas } }) => (schemas.AcceptedJob.properties.jobId = { type: "integer" }),
    isPassing: true,
  },
  {
    what: "other words for the same",
    edit: ({ paths, components: { schemas } }) => {
      schemas.Credits.properties.cost = { type: "number", const: 10 };
      const { count } = schemas.CreateScreenshotsRequest.properties;
      schemas.CreateScreenshotsRequest.properties.count = {
        ...{ type: "integer", default: count.default, enum: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] },
      };
      paths["/public/v1/empty"] = {};
      schemas.App.description = "An app.";
    },
  },
  {
    what: "a body of all errors",
    edit: (document) => {
      const body = { type: "object", required: ["code"], properties: { code: text, message: text } };
      document.components.responses.Problem = { description: "Refused.", content: json(body) };
      for (const { responses } of operationsOf(document)) {
        for (const status of [400, 401, 404]) responses[status] = { $ref: "#/components/responses/Problem" };
      }
    },
  },
  {
    what: "names that are nobody's business",
    edit: ({ paths, components: { schemas } }) => {
      for (const [index, operationId] of ["createApp", "toString", "a|b", undefined].entries()) {
        paths[`/public/v1/odd/${index}`] = { get: { operationId, responses: { 204: { description: "" } } } };
      }
      for (const name of ["a|b", "a'b", "a\nb", "<b>x</b>"]) schemas.App.properties[name] = text;
    },
  },
  {
    what: "a field that is sent under another name, and a price that cannot be read",
    edit: ({ paths, components: { schemas } }) => {
      const { count, ...others } = schemas.CreateScreenshotsRequest.properties;
      schemas.CreateScreenshotsRequest.properties = { ...others, slideCount: count };
      schemas.CreateScreenshotsRequest.required = ["appId", "device"];
      schemas.Credits.properties.cost = { type: "integer" };
      paths["/public/v1/screenshots"].post.description = "It costs 1,000 credits.";
    },
    ...{ isPassing: true, isLeftOpen: true },
  },
  {
    what: "a mistake",
    edit: ({ components: { schemas } }) => (schemas.CreateScreenshotsRequest.properties.count.maximum = 1),
    ...{ isPassing: true, isLeftOpen: true },
  },
  { what: "the mistake taken back", edit: () => {} },
  {
    what: "a new field, and nobody at work",
    edit: ({ components: { schemas } }) => (schemas.App.properties.rating = { type: "number" }),
    isLeftOpen: true,
  },
  {
    what: "one more field while the pull request is open",
    edit: ({ components: { schemas } }) => (schemas.App.properties.ratings = { type: "integer" }),
  },
  {
    what: "a move to a host without a path",
    edit: (document) => (document.servers = [{ url: "https://api.example.com" }]),
  },
  {
    what: "operations that are gone, and no words about keys",
    edit: (document) => {
      for (const path of Object.keys(document.paths)) if (/odd/.test(path)) delete document.paths[path];
      delete document.security;
    },
  },
];
