import { isObject, itemsOf, type JsonObject, membersOf } from "../openapi/json.js";
import type { KnownName } from "../openapi/known-operations.js";
import { documentedAnswers } from "./documented-answers.js";
import { admitNull, inBranches, inline, nonEmptyText, openText } from "./edit-schema.js";
import { isAnnotation } from "./merge-all-of.js";

/** The SDK's own rules for the body of an operation, whatever the document says. */
export function applyBodyRules(document: JsonObject, name: KnownName, schema: unknown): unknown {
  if (name === "createApp") return withStoreUrlRule(document, schema);
  return withProperties(document, schema, {
    appId: (property) => nonEmptyText(document, property),
    // The SDK always sends a count; this is the service's own default, should the document not state it.
    count: (property) => ({ default: 5, ...inline(document, property) }),
    captionStyle: (property) => openText(document, property),
    narrativeId: (property) => openText(document, property),
  });
}

/** The documented fields of an answer count as required. */
export function applyAnswerRules(document: JsonObject, name: KnownName, schema: unknown): unknown {
  const answer = withDocumentedFields(document, schema, documentedAnswers[name]);
  if (name !== "getJob" || answer.anyOf || answer.oneOf) return answer;
  // One description for jobs in every state has to allow for the states without a result or an error.
  const nullable = (property: unknown) => admitNull(document, property);
  return withProperties(document, answer, { result: nullable, error: nullable });
}

/** At least one store URL: one branch for each, as both the types and the run-time check need them. */
function withStoreUrlRule(document: JsonObject, schema: unknown): JsonObject {
  const { properties, required, ...rest } = gather(document, schema);
  const storeUrls = ["iosUrl", "androidUrl"];
  const described = { ...(properties as JsonObject) };
  for (const name of storeUrls) {
    described[name] = nonEmptyText(document, described[name]);
  }
  return {
    anyOf: storeUrls.map((name) => ({
      ...rest,
      type: "object",
      properties: described,
      required: [...new Set([...itemsOf(required), name])],
    })),
  };
}

/** One object for a schema and its branches: every property, and what all branches require. */
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
    required: [...new Set([...[...parts, own].flatMap((part) => itemsOf(part.required)), ...shared])],
  };
}

/** The schema with some of its properties changed, in each of its branches. */
function withProperties(
  document: JsonObject,
  schema: unknown,
  changes: Record<string, (property: unknown) => unknown>,
): JsonObject {
  return inBranches(document, schema, (object) => ({
    ...object,
    properties: Object.fromEntries(
      membersOf(object.properties).map(([name, property]) => [
        name,
        Object.hasOwn(changes, name) ? changes[name]?.(property) : property,
      ]),
    ),
  }));
}

function withDocumentedFields(document: JsonObject, schema: unknown, documented: JsonObject): JsonObject {
  return inBranches(document, schema, (object) => {
    if (![object.type ?? "object"].flat().includes("object")) return object;
    const isDescribed = Object.keys(object.properties ?? {}).length > 0;
    const properties: JsonObject = { ...((isDescribed ? object : documented).properties as object) };
    const present = Object.keys(documented.properties as object).filter((name) =>
      Object.hasOwn(properties, name),
    );
    for (const name of present) {
      const field = (documented.properties as JsonObject)[name] as JsonObject;
      properties[name] = withDocumentedField(document, properties[name], field);
    }
    const required = [...new Set([...itemsOf(object.required), ...present])];
    return { type: "object", ...object, properties, required };
  });
}

function withDocumentedField(document: JsonObject, property: unknown, documented: JsonObject): unknown {
  if (isObject(documented.properties)) return withDocumentedFields(document, property, documented);
  const says = inline(document, property);
  if (saysNothing(says)) return { ...says, ...documented };
  if (says.type === "array" && saysNothing(inline(document, says.items))) {
    return { ...says, items: documented.items };
  }
  // The states tell jobs apart, in types too; a plain string would not.
  const isPlainText = says.type === "string" && !("enum" in says || "const" in says);
  return isPlainText && documented.enum ? { ...says, enum: documented.enum } : property;
}

function saysNothing(schema: JsonObject): boolean {
  return Object.keys(schema).every(isAnnotation);
}
