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
 * The answers as the service's specification gives them (section 2), by their operation: the status, the fields, and
 * those without which the SDK could do nothing. They decide which fields are required, and what a field is that the
 * document does not describe. What the document does describe takes precedence.
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

/** Fields that the SDK works with, which are never null. */
export const needed = ["appId", "jobId", "credits", "id", "status", "result", "slides"];

/** The 2xx answers of an operation as one: its JSON is one object, with what is documented of it. */
export function withPlainAnswer(
  document: JsonObject,
  operation: JsonObject,
  known: KnownOperation,
): JsonObject {
  const { status, fields } = documentedAnswers[known.name];
  const branches = answerSchemas(operation).flatMap((schema) => branchesOf(document, schema));
  const isJob = known.name === "getJob";
  const schema = asDocumented(
    document,
    isJob ? byStatus(document, branches) : branches,
    fields,
    leftOutOf(branches),
  );
  const responses = Object.entries((operation.responses ?? {}) as Record<string, JsonObject>);
  const [, answer] = responses.find(([key, { content }]) => isSuccess(key) && jsonContent(content)) ?? [];
  const others = responses.filter(([key]) => !isSuccess(key));
  const content = { "application/json": { schema: isJob ? withNulls(document, schema) : schema } };
  return { ...operation, responses: { ...Object.fromEntries(others), [status]: { ...answer, content } } };
}

/** What each state of a job holds: a result only those that may have succeeded, an error only those that may have failed. */
function byStatus(document: JsonObject, branches: JsonObject[]): JsonObject[] {
  return branches.map((branch) => {
    const { properties } = branch;
    const listed = branchesOf(document, Object(properties).status).flatMap((one) => valuesOf(one) ?? one);
    // A status that is not listed may be any.
    const mayBe = (status: string) => listed.some((value) => value === status || isObject(value));
    const shown = mapObject(properties, (property, name) =>
      (name === "result" && !mayBe("succeeded")) || (name === "error" && !mayBe("failed")) ? {} : property,
    );
    return { ...branch, properties: shown };
  });
}

/** What is told apart by its states may leave out in one of them what only others hold. */
function leftOutOf(branches: JsonObject[]): string[] {
  const isRequired = (field: string) => branches.every(({ required }) => itemsOf(required).includes(field));
  return branches.length > 1 ? ["result", "error"].filter((field) => !isRequired(field)) : [];
}

/** The result and the error of a job are null in most of its states. */
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

/** The alternatives of an object as one, of which the documented fields are described and required. */
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
  const isAlike = described.every((branch) => typesOf(branch, undefined).includes(String(documented.type)));
  if (documented.properties && isAlike) {
    return united(document, property, [asDocumented(document, described, documented)]);
  }
  if (documented.enum && isAlike) {
    // TypeScript tells jobs apart by their states, which a plain string would not allow.
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
