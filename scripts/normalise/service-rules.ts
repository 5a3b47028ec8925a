import { distinct, isObject, itemsOf, type JsonObject, mapObject } from "../openapi/json.js";
import { alternativesOf, hasOnly, orNull } from "../openapi/keywords.js";
import type { KnownName } from "../openapi/known-operations.js";
import { isSuccess, mapJson, mapOperations } from "../openapi/operations.js";
import { resolve } from "../openapi/walk.js";

const text = { type: "string" };
const integer = { type: "integer" };
const openObject = { type: "object", additionalProperties: true };
const object = (properties: JsonObject) => ({ type: "object", properties });

/**
 * The answers as the service's specification gives them (section 2). They decide which fields are required, and what
 * a field is that the document does not describe. What the document does describe takes precedence.
 */
const documentedAnswers: Record<KnownName, JsonObject> = {
  createApp: object({ appId: text, name: text, category: text, artworkUrl: text }),
  createScreenshots: object({ jobId: text, credits: object({ cost: integer, remaining: integer }) }),
  getJob: object({
    id: text,
    status: { type: "string", enum: ["queued", "running", "succeeded", "failed"] },
    result: object({ device: text, slides: { type: "array", items: openObject } }),
    error: { type: ["object", "null"], additionalProperties: true },
  }),
};

/** Applies the SDK's own rules to the bodies and answers of its operations, whatever the document says. */
export function applyServiceRules(document: JsonObject): JsonObject {
  return mapOperations(document, (operation, known) => {
    if (!known) return operation;
    const { name, method } = known;
    const answer = (entry: JsonObject) => ({ ...entry, schema: answerSchema(document, name, entry.schema) });
    const responses = mapObject(operation.responses, (response, status) =>
      isSuccess(status) ? mapJson(document, response, answer) : response,
    );
    if (method !== "post") return { ...operation, responses };
    const body = (entry: JsonObject) => ({ ...entry, schema: bodySchema(document, name, entry.schema) });
    // Without a body there is nothing to create from.
    const requestBody = { ...mapJson(document, operation.requestBody, body), required: true };
    return { ...operation, responses, requestBody };
  });
}

function bodySchema(document: JsonObject, name: KnownName, schema: unknown): JsonObject {
  if (name === "createApp") return withStoreUrlRule(document, schema);
  return withProperties(document, schema, {
    appId: (property) => nonEmptyText(document, property),
    // The SDK always sends a count. If the document states no default, this is the service's own.
    count: (property) => ({ default: 5, ...inline(document, property) }),
    captionStyle: (property) => openText(document, property),
    narrativeId: (property) => openText(document, property),
  });
}

/** An answer whose documented fields are required. */
function answerSchema(document: JsonObject, name: KnownName, schema: unknown): JsonObject {
  const answer = withDocumentedFields(document, schema, documentedAnswers[name]);
  if (name !== "getJob" || answer.anyOf || answer.oneOf) return answer;
  // A description that covers every state must allow for states without a result or an error.
  const nullable = (property: unknown) => admitNull(document, property);
  return withProperties(document, answer, { result: nullable, error: nullable });
}

/** Requires at least one store URL, with a branch for each: the types and the run-time check both need that. */
function withStoreUrlRule(document: JsonObject, schema: unknown): JsonObject {
  const { properties, required, ...rest } = gather(document, schema);
  const storeUrls = ["iosUrl", "androidUrl"];
  const described = { ...(properties as JsonObject) };
  for (const name of storeUrls) described[name] = nonEmptyText(document, described[name]);
  return {
    anyOf: storeUrls.map((name) => ({
      ...rest,
      type: "object",
      properties: described,
      required: distinct([...itemsOf(required), name]),
    })),
  };
}

/** A schema and its branches as one object, with every property, that requires what all branches require. */
function gather(document: JsonObject, schema: unknown): JsonObject {
  const { anyOf, oneOf, allOf, description: _, ...own } = inline(document, schema);
  const alternatives = [...itemsOf(anyOf), ...itemsOf(oneOf)].map((branch) => gather(document, branch));
  const parts = itemsOf(allOf).map((part) => gather(document, part));
  const branches = alternatives.filter((branch) => branch.type !== "null");
  const shared = itemsOf(branches[0]?.required).filter((name) =>
    branches.every((branch) => itemsOf(branch.required).includes(name)),
  );
  const all = [...branches, ...parts, own];
  return {
    ...own,
    properties: Object.assign({}, ...all.map((part) => part.properties)),
    required: distinct([...[...parts, own].flatMap((part) => itemsOf(part.required)), ...shared]),
  };
}

/** The schema with some of its properties changed, in each of its branches. */
function withProperties(
  document: JsonObject,
  schema: unknown,
  changes: Record<string, (property: unknown) => unknown>,
): JsonObject {
  const changed = (property: unknown, name: string) =>
    Object.hasOwn(changes, name) ? changes[name]?.(property) : property;
  return inBranches(document, schema, (object) => ({
    ...object,
    properties: mapObject(object.properties, changed),
  }));
}

function withDocumentedFields(document: JsonObject, schema: unknown, documented: JsonObject): JsonObject {
  const fields = documented.properties as JsonObject;
  return inBranches(document, schema, (object) => {
    if (![object.type ?? "object"].flat().includes("object")) return object;
    const isDescribed = Object.keys(object.properties ?? {}).length > 0;
    const properties = mapObject(isDescribed ? object.properties : fields, (property, name) =>
      Object.hasOwn(fields, name)
        ? withDocumentedField(document, property, fields[name] as JsonObject)
        : property,
    );
    const present = Object.keys(fields).filter((name) => Object.hasOwn(properties, name));
    const required = distinct([...itemsOf(object.required), ...present]);
    return { type: "object", ...object, properties, required };
  });
}

function withDocumentedField(document: JsonObject, property: unknown, documented: JsonObject): unknown {
  if (isObject(documented.properties)) return withDocumentedFields(document, property, documented);
  const described = inline(document, property);
  if (hasOnly(described)) return { ...described, ...documented };
  if (described.type === "array" && hasOnly(inline(document, described.items))) {
    return { ...described, items: documented.items };
  }
  // TypeScript tells jobs apart by their states, which a plain string would not allow.
  const isPlainText = described.type === "string" && !("enum" in described || "const" in described);
  return isPlainText && documented.enum ? { ...described, enum: documented.enum } : property;
}

/** Applies `change` to a schema, or to each of its alternatives if it has any. */
function inBranches(
  document: JsonObject,
  schema: unknown,
  change: (branch: JsonObject) => JsonObject,
): JsonObject {
  const object = inline(document, schema);
  const key = alternativesOf(object);
  if (!key || object.properties) return change(object);
  const branches = itemsOf(object[key]).map((branch) =>
    isNull(document, branch) ? branch : inBranches(document, branch, change),
  );
  return { ...object, [key]: branches };
}

/** A string of at least one character. */
export function nonEmptyText(document: JsonObject, schema: unknown): JsonObject {
  return inBranches(document, schema, (text) => {
    const { type = "string", minLength = 1 } = text;
    if (![type].flat().includes("string")) return text;
    return { ...text, type, minLength: Math.max(1, Number(minLength)) };
  });
}

/** A string with any value, for fields to which the service adds values without notice. */
function openText(document: JsonObject, schema: unknown): JsonObject {
  const { enum: values, const: value, anyOf, oneOf, ...rest } = inline(document, schema);
  const allowsNull =
    [...itemsOf(anyOf), ...itemsOf(oneOf)].some((branch) => isNull(document, branch)) ||
    [...itemsOf(values), value].includes(null) ||
    [rest.type].flat().includes("null");
  return { ...rest, type: allowsNull ? ["string", "null"] : "string" };
}

/** The schema, or null. */
function admitNull(document: JsonObject, schema: unknown): JsonObject {
  const object = inline(document, schema);
  const key = alternativesOf(object);
  if (!key) return object.type === undefined ? object : orNull(object);
  const branches = itemsOf(object[key]);
  if (branches.some((branch) => isNull(document, branch))) return object;
  return { ...object, [key]: [...branches, { type: "null" }] };
}

/** Whether a schema allows null and nothing else. */
function isNull(document: JsonObject, schema: unknown): boolean {
  return inline(document, schema).type === "null";
}

/** The schema without a reference at its top, so that it can be changed for one place only. */
function inline(document: JsonObject, schema: unknown): JsonObject {
  const { $ref: _, ...siblings } = isObject(schema) ? schema : {};
  return { ...structuredClone(resolve(document, schema)), ...siblings };
}
