import { distinct, isObject, itemsOf, type JsonObject, mapObject } from "../openapi/json.js";
import { hasOnly, orNull, typesOf, valuesOf } from "../openapi/keywords.js";
import type { KnownOperation } from "../openapi/known-operations.js";
import { answerSchemas, isSuccess, jsonContent } from "../openapi/operations.js";
import { inline } from "../openapi/walk.js";
import { admitsNull, branchesOf, joined, united } from "./join-schemas.js";

const text = { type: "string" };
const integer = { type: "integer" };
const openObject = { type: "object", additionalProperties: true };
const object = (properties: JsonObject) => ({ type: "object", properties });
const statuses = ["queued", "running", "succeeded", "failed"];
const result = object({ device: text, slides: { type: "array", items: openObject } });

/**
 * The answers in the service's specification (section 2), by operation: the status, the fields, and those that the SDK
 * needs to do anything. They decide which fields are required, and what a field is if the document does not describe
 * it. What the document describes takes precedence.
 */
export const documentedAnswers = {
  createApp: { status: 200, fields: object({ appId: text, name: text, category: text, artworkUrl: text }) },
  createScreenshots: {
    status: 201,
    fields: object({ jobId: text, credits: object({ cost: integer, remaining: integer }) }),
  },
  getJob: {
    status: 200,
    fields: object({ id: text, status: { type: "string", enum: statuses }, result, error: openObject }),
  },
};

/** Fields that the SDK works with. They are never null. */
export const needed = ["appId", "jobId", "credits", "id", "status", "result", "slides"];

/** Merges the 2xx answers of an operation into one, whose JSON is one object with the documented fields. */
export function withPlainAnswer(
  document: JsonObject,
  operation: JsonObject,
  known: KnownOperation,
): JsonObject {
  const { status, fields } = documentedAnswers[known.name];
  const branches = answerSchemas(operation).flatMap((schema) => branchesOf(document, schema));
  const isJob = known.name === "getJob";
  const shown = isJob ? byStatus(document, branches) : branches;
  const schema = asDocumented(document, shown, fields, leftOutOf(branches));
  const responses = Object.entries((operation.responses ?? {}) as Record<string, JsonObject>);
  const [, answer] = responses.find(([key, { content }]) => isSuccess(key) && jsonContent(content)) ?? [];
  const others = responses.filter(([key]) => !isSuccess(key));
  const content = { "application/json": { schema: isJob ? withNulls(document, schema) : schema } };
  return { ...operation, responses: { ...Object.fromEntries(others), [status]: { ...answer, content } } };
}

/** Keeps a result only in branches that may have succeeded, and an error only in branches that may have failed. */
function byStatus(document: JsonObject, branches: JsonObject[]): JsonObject[] {
  return branches.map((branch) => {
    const { properties } = branch;
    const listed = branchesOf(document, Object(properties).status).flatMap((one) => valuesOf(one) ?? one);
    // If the statuses are not listed, any status is possible.
    const mayBe = (status: string) => listed.some((value) => value === status || isObject(value));
    const shown = mapObject(properties, (property, name) =>
      (name === "result" && !mayBe("succeeded")) || (name === "error" && !mayBe("failed")) ? {} : property,
    );
    return { ...branch, properties: shown };
  });
}

/** The fields that may be absent: with several branches, `result` and `error` unless all branches require them. */
function leftOutOf(branches: JsonObject[]): string[] {
  const isRequired = (field: string) => branches.every(({ required }) => itemsOf(required).includes(field));
  return branches.length > 1 ? ["result", "error"].filter((field) => !isRequired(field)) : [];
}

/** Allows null for the result and the error of a job, which are null in most of its states. */
function withNulls(document: JsonObject, job: JsonObject): JsonObject {
  const properties = mapObject(job.properties, (property, name) => {
    if (!["result", "error"].includes(name)) return property;
    const branches = branchesOf(document, property);
    const isPlain = branches.length === 1 && branches[0]?.type !== undefined;
    return isPlain
      ? orNull(united(document, property, branches))
      : united(document, property, [...branches, { type: "null" }]);
  });
  return { ...job, properties };
}

/** Joins the alternatives of an object into one, in which the documented fields are described and required. */
function asDocumented(
  document: JsonObject,
  branches: JsonObject[],
  documented: JsonObject,
  leftOut: string[] = [],
): JsonObject {
  const fields = documented.properties as Record<string, JsonObject>;
  const whole = joined(branches);
  const listed = itemsOf(whole.required);
  const isDescribed = Object.keys(whole.properties as JsonObject).length > 0;
  const properties = mapObject(isDescribed ? whole.properties : fields, (property, name) => {
    if (!Object.hasOwn(fields, name)) return property;
    const keepsNull = listed.includes(name) && !needed.includes(name);
    return fieldOf(document, property, fields[name] as JsonObject, keepsNull);
  });
  const present = Object.keys(fields).filter(
    (name) => Object.hasOwn(properties, name) && !leftOut.includes(name),
  );
  return { ...whole, properties, required: distinct([...listed, ...present]) };
}

function fieldOf(
  document: JsonObject,
  property: unknown,
  documented: JsonObject,
  keepsNull: boolean,
): unknown {
  const branches = branchesOf(document, property);
  const described = branches.filter((branch) => !hasOnly(branch));
  if (described.length === 0) return united(document, property, [documented]);
  const isAlike = described.every((branch) => typesOf(branch).includes(String(documented.type)));
  if (documented.properties && isAlike) {
    return united(document, property, [asDocumented(document, described, documented)]);
  }
  if (documented.enum && isAlike) {
    // TypeScript distinguishes jobs by their states, which a plain string would not allow.
    const values = distinct(described.flatMap((branch) => valuesOf(branch) ?? []));
    return united(document, property, [{ ...documented, ...(values.length > 0 && { enum: values }) }]);
  }
  if (documented.items && isAlike) {
    const lists = described.map(({ items, ...list }) => ({
      ...list,
      items: hasOnly(inline(document, items)) ? documented.items : items,
    }));
    return united(document, property, lists);
  }
  const isPlain = described.length === branches.length && (keepsNull || !admitsNull(document, property));
  return isPlain ? property : united(document, property, described);
}
