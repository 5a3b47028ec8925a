import type { JsonObject } from "../openapi/json.js";
import type { KnownName } from "../openapi/known-operations.js";

const text = { type: "string" };
const integer = { type: "integer" };
const openObject = { type: "object", additionalProperties: true };

/**
 * The answers as the service's specification gives them (section 2). Where a document describes a field,
 * its description counts; these say which fields are required, and what an undescribed one is.
 */
export const documentedAnswers: Record<KnownName, JsonObject> = {
  createApp: object({ appId: text, name: text, category: text, artworkUrl: text }),
  createScreenshots: object({
    jobId: text,
    credits: object({ cost: integer, remaining: integer }),
  }),
  getJob: object({
    id: text,
    status: { type: "string", enum: ["queued", "running", "succeeded", "failed"] },
    result: object({ device: text, slides: { type: "array", items: openObject } }),
    error: { type: ["object", "null"], additionalProperties: true },
  }),
};

function object(properties: JsonObject): JsonObject {
  return { type: "object", properties };
}
