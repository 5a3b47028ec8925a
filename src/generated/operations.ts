// Written by `npm run generate` from openapi.json. Do not edit.
import * as z from "../schema/kinds.js";
import { lazy } from "../schema/parse.js";

const answerComponent2 = lazy(() => z.string());

const requestComponent1 = lazy(() => z.literal(["iphone-69", "iphone-67", "iphone-65", "ipad-pro", "android-phone", "android-tablet"]));

export const createApp = {
  name: "createApp",
  method: "POST",
  path: "/public/v1/apps",
  pathParameters: [],
  numericParameters: [],
  sentPath: undefined,
  mediaType: "application/json",
  queryStyles: undefined,
  idempotencyHeader: undefined,
  isKeyRequired: false,
  inPath: undefined,
  inQuery: undefined,
  body: lazy(() => z.checked(z.looseObject({
    "androidUrl": z.optional(z.text(1)),
    "extraContext": z.optional(z.text(0, 2000)),
    "iosUrl": z.optional(z.text(1)),
  }), z.requireOneOf("iosUrl", "androidUrl"))),
  answer: lazy(() => z.looseObject({
    "appId": z.string(),
    "artworkUrl": z.string(),
    "category": z.string(),
    "name": z.string(),
  })),
  needed: ["appId"],
} as const;

export const createScreenshots = {
  name: "createScreenshots",
  method: "POST",
  path: "/public/v1/screenshots",
  pathParameters: [],
  numericParameters: [],
  sentPath: undefined,
  mediaType: "application/json",
  queryStyles: undefined,
  idempotencyHeader: undefined,
  isKeyRequired: false,
  inPath: undefined,
  inQuery: undefined,
  body: lazy(() => z.looseObject({
    "appId": z.text(1),
    "captionLength": z.optional(z.literal(["short", "long"])),
    "captionStyle": z.optional(z.string()),
    "count": z.integer(1, 10),
    "device": requestComponent1(),
    "narrativeId": z.optional(z.string()),
  })),
  answer: lazy(() => z.looseObject({
    "credits": z.looseObject({
      "cost": z.integer(),
      "remaining": z.integer(),
    }),
    "jobId": z.string(),
  })),
  needed: ["jobId"],
} as const;

export const getJob = {
  name: "getJob",
  method: "GET",
  path: "/public/v1/jobs/{id}",
  pathParameters: ["id"],
  numericParameters: [],
  sentPath: undefined,
  mediaType: undefined,
  queryStyles: undefined,
  idempotencyHeader: undefined,
  isKeyRequired: false,
  inPath: undefined,
  inQuery: undefined,
  body: undefined,
  answer: lazy(() => z.looseObject({
    "error": z.nullable(z.looseObject({})),
    "id": z.string(),
    "result": z.nullable(z.looseObject({
      "device": answerComponent2(),
      "slides": z.array(z.looseObject({})),
    })),
    "status": z.string(),
  })),
  needed: ["id","status"],
} as const;

/** Every operation of the document. */
export const operations = [createApp, createScreenshots, getJob] as const;
