import type { JsonObject } from "./json.js";

/** An operation with an SDK method. */
export interface KnownOperation {
  /** The SDK's own name for it, also of its constant in `src/generated/operations.ts`. */
  readonly name: string;
  /** How users call it. */
  readonly call: string;
  readonly method: string;
  /** The path, with the parameter names that callers of the SDK know. */
  readonly path: string;
  /** Whether the method takes a JSON body, without which a document is refused. */
  readonly takesBody?: true;
  /** Whether the method takes parameters of the query. A document that requires one of another method is refused. */
  readonly takesQuery?: true;
  /** The answer in the service's specification (section 2), for what a document does not say of its fields. */
  readonly answer: { readonly status: number; readonly fields?: JsonObject };
  /** The fields of the answer without which the SDK cannot go on. If there are some, a document needs such an answer. */
  readonly needed: readonly string[];
}

const text = { type: "string" };
const integer = { type: "integer" };
const openObject = { type: "object", additionalProperties: true };
const object = (properties: JsonObject) => ({ type: "object", properties });
const statuses = ["queued", "running", "succeeded", "failed"];

/** The path of a job. */
export const jobPath = "/public/v1/jobs/{id}";

/** The operations with SDK methods. */
export const knownOperations: readonly KnownOperation[] = [
  {
    name: "createApp",
    call: "apps.create",
    method: "post",
    path: "/public/v1/apps",
    takesBody: true,
    answer: { status: 200, fields: object({ appId: text, name: text, category: text, artworkUrl: text }) },
    needed: ["appId"],
  },
  {
    name: "createScreenshots",
    call: "screenshots.create",
    method: "post",
    path: "/public/v1/screenshots",
    takesBody: true,
    answer: {
      status: 201,
      fields: object({ jobId: text, credits: object({ cost: integer, remaining: integer }) }),
    },
    needed: ["jobId"],
  },
  {
    name: "getJob",
    call: "jobs.get",
    method: "get",
    path: jobPath,
    answer: {
      status: 200,
      fields: object({
        id: text,
        status: { type: "string", enum: statuses },
        result: object({ device: text, slides: { type: "array", items: openObject } }),
        error: openObject,
      }),
    },
    needed: ["id", "status"],
  },
];

/** The names of the parameters of a path. */
export const parametersIn = (path: string) =>
  [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => String(name));

/** The operation with an SDK method at a method and a path, if there is one. */
export function knownAt(method: string, path: string): KnownOperation | undefined {
  return knownOperations.find((known) => known.method === method && known.path === path);
}

/** Fields of the answers that the SDK works with. They are never null. */
export const neverNull = ["appId", "jobId", "credits", "id", "status", "result", "slides"];
