import { distinct, itemsOf, type JsonObject, mapObject } from "../openapi/json.js";
import { isNumberType, typesOf, valuesOf } from "../openapi/keywords.js";
import { inline } from "../openapi/walk.js";
import { admitsNull, branchesOf, joined, united } from "./join-schemas.js";
import { isNumber, plainNumber } from "./numbers-as-text.js";

/** Turns the body of a create into one object with the SDK's own rules, whatever the document says. */
export function plainBody(document: JsonObject, name: string, schema: unknown): unknown {
  if (name !== "createApp" && name !== "createScreenshots") return schema;
  const body = joined(branchesOf(document, schema));
  if (name === "createApp") return withStoreUrlRule(document, body);
  const rules: Record<string, (property: unknown) => unknown> = {
    appId: (property) => withoutDefault(opaqueId(document, property)),
    device: (property) => listedText(document, property),
    captionLength: (property) => listedText(document, property),
    count: (property) => countOf(document, property),
    captionStyle: (property) => openText(document, property),
    narrativeId: (property) => openText(document, property),
  };
  const properties = mapObject({ count: {}, ...Object(body.properties) }, (property, name) =>
    Object.hasOwn(rules, name) ? rules[name]?.(property) : property,
  );
  return { ...body, properties };
}

/** Requires at least one store URL, with a branch for each. The types and the run-time check both need that. */
function withStoreUrlRule(
  document: JsonObject,
  { description: _, required, ...body }: JsonObject,
): JsonObject {
  const storeUrls = ["iosUrl", "androidUrl"];
  const properties = { ...(body.properties as JsonObject) };
  // A default, or a field that only answers have, would take the rule away.
  for (const name of storeUrls) properties[name] = withoutDefault(nonEmptyText(document, properties[name]));
  const branches = storeUrls.map((name) => distinct([...itemsOf(required), name]));
  return { anyOf: branches.map((required) => ({ ...body, properties, required })) };
}

function withoutDefault({ default: _, readOnly: __, ...schema }: JsonObject): JsonObject {
  return schema;
}

/**
 * A count is a number and never null, since the SDK always sends one: the document's default or, without one, the
 * service's own. A document that describes no number means that of the service's specification (section 4.2).
 */
function countOf(document: JsonObject, schema: unknown): JsonObject {
  const { default: stated } = inline(document, schema);
  const described = branchesOf(document, plainNumber(document, schema));
  const numbers = described.filter((one) => typesOf(one).some(isNumberType));
  const limits = numbers.length > 0 ? numbers : [{ type: "integer", minimum: 1, maximum: 10 }];
  const count = united(document, schema, limits);
  const within = (number: number) =>
    limits.reduce((nearest, { minimum, maximum }: JsonObject) => {
      return Math.max(Math.min(nearest, Number(maximum ?? nearest)), Number(minimum ?? nearest));
    }, number);
  return { ...count, default: isNumber(stated) ? Number(stated) : within(5) };
}

/** Any text but an empty one. Which form ids have is the service's own matter. */
export function opaqueId(document: JsonObject, schema: unknown): JsonObject {
  return united(document, schema, [{ type: "string", minLength: 1 }]);
}

/** A string of at least one character. Null is not a string, so it is not allowed. */
function nonEmptyText(document: JsonObject, schema: unknown): JsonObject {
  const branches = branchesOf(document, schema).map((branch) => {
    const { type = "string", minLength = 1 } = branch;
    return type === "string" ? { ...branch, type, minLength: Math.max(1, Number(minLength)) } : branch;
  });
  return united(document, schema, branches);
}

/** A string with any value, for fields to which the service may add values without notice. */
function openText(document: JsonObject, schema: unknown): JsonObject {
  const { enum: _, const: __, anyOf: ___, oneOf: ____, ...rest } = inline(document, schema);
  return { ...rest, type: admitsNull(document, schema) ? ["string", "null"] : "string" };
}

/** Keeps only the listed values if a document also allows any other string to say that values may be added. */
function listedText(document: JsonObject, schema: unknown): unknown {
  const lists = branchesOf(document, schema).map(valuesOf);
  const values = distinct(lists.flatMap((list) => list ?? []));
  const isOpen = values.length > 0 && lists.includes(undefined);
  return isOpen ? united(document, schema, [{ type: "string", enum: values }]) : schema;
}
