import { distinct, isObject, itemsOf, type JsonObject, mapObject, membersOf } from "../openapi/json.js";
import { hasOnly, isNumberType, keptField, rangeOf, typesOf, valuesOf } from "../openapi/keywords.js";
import { type KnownOperation, neverNull } from "../openapi/known-operations.js";
import { answerSchemas, isSuccess, jsonContent, listedValues } from "../openapi/operations.js";
import { inline } from "../openapi/walk.js";
import { admitsNull, branchesOf, joined, united, withNull } from "./join-schemas.js";
import { isNumber, plainNumber } from "./numbers-as-text.js";

/** Merges the 2xx answers of an operation into one, whose JSON is one object with the documented fields. */
export function withPlainAnswer(
  document: JsonObject,
  operation: JsonObject,
  known: KnownOperation,
): JsonObject {
  const { status, fields = {} } = known.answer;
  const schemas = answerSchemas(operation);
  // Such as of an operation that deletes something.
  if (schemas.length === 0) return operation;
  const branches = schemas.flatMap((schema) => branchesOf(document, schema));
  const isJob = known.name === "getJob";
  const schema = isJob ? jobOf(document, branches, fields) : asDocumented(document, branches, fields);
  const responses = Object.entries((operation.responses ?? {}) as Record<string, JsonObject>);
  const [, answer] = responses.find(([key, { content }]) => isSuccess(key) && jsonContent(content)) ?? [];
  const others = responses.filter(([key]) => !isSuccess(key));
  const content = { "application/json": { schema } };
  return { ...operation, responses: { ...Object.fromEntries(others), [status]: { ...answer, content } } };
}

/**
 * Joins the branches of a job, with the result of those that may have succeeded and the error of those that may have failed.
 * Both may be null, and are left out if one of several branches does so.
 */
function jobOf(document: JsonObject, branches: JsonObject[], fields: JsonObject): JsonObject {
  const ends = new Map([
    ["result", "succeeded"],
    ["error", "failed"],
  ]);
  const shown = branches.map((branch) => {
    const { status } = Object(branch.properties);
    const listed = branchesOf(document, status).flatMap((one) => valuesOf(one) ?? one);
    // If the statuses are not listed, any status is possible.
    const mayBe = (end: string) => listed.some((value) => value === end || isObject(value));
    const properties = mapObject(branch.properties, (property, name) => {
      const end = ends.get(name);
      return end === undefined || mayBe(end) ? property : {};
    });
    return { ...branch, properties };
  });
  const job = asDocumented(document, shown, fields);
  const isLeftOut = (name: unknown) =>
    branches.length > 1 &&
    ends.has(String(name)) &&
    !branches.every(({ required }) => itemsOf(required).includes(name));
  const properties = mapObject(job.properties, (property, name) =>
    ends.has(name) ? withNull(document, property) : property,
  );
  return { ...job, properties, required: itemsOf(job.required).filter((name) => !isLeftOut(name)) };
}

/** Joins the alternatives of an object into one, in which the documented fields are described and required. */
function asDocumented(document: JsonObject, branches: JsonObject[], documented: JsonObject): JsonObject {
  const fields = (documented.properties ?? {}) as Record<string, JsonObject>;
  const whole = joined(branches);
  const listed = itemsOf(whole.required);
  const isDescribed = Object.keys(whole.properties as JsonObject).length > 0;
  const properties = mapObject(isDescribed ? whole.properties : fields, (property, name) => {
    if (!Object.hasOwn(fields, name)) return property;
    const keepsNull = listed.includes(name) && !neverNull.includes(name);
    return fieldOf(document, property, fields[name] as JsonObject, keepsNull);
  });
  const present = Object.keys(fields).filter((name) => Object.hasOwn(properties, name));
  return { ...whole, properties, required: distinct([...listed, ...present]) };
}

/**
 * The items of a list of several kinds, which types tell apart by their fields: each kind has those that it shares and its own,
 * and says which ones it never has if it may lack all its own.
 */
function kindsOf(document: JsonObject, items: unknown): unknown {
  const kinds = branchesOf(document, items);
  if (kinds.length < 2) return items;
  const fields = membersOf(joined(kinds).properties);
  const isOwn = (name: unknown) =>
    !kinds.every(({ properties }) => Object.hasOwn(Object(properties), name as string));
  const isTagged = fields.some(([name]) =>
    kinds.every(({ properties }) => valuesOf(inline(document, Object(properties)[name]))),
  );
  const isTold = isTagged || kinds.every(({ required }) => itemsOf(required).some(isOwn));
  const never = Object.fromEntries(isTold ? [] : fields.map(([name]) => [name, false]));
  const named = kinds.map((kind) => {
    const { additionalProperties: _, unevaluatedProperties: __, patternProperties: ___, ...rest } = kind;
    return isObject(rest.properties) ? { ...rest, properties: { ...never, ...rest.properties } } : kind;
  });
  const union = united(document, items, named);
  return admitsNull(document, items) ? withNull(document, union) : union;
}

function fieldOf(
  document: JsonObject,
  property: unknown,
  documented: JsonObject,
  keepsNull: boolean,
): unknown {
  const field = documented.type === "integer" ? plainNumber(document, property) : property;
  const branches = branchesOf(document, field);
  const described = branches.filter((branch) => !hasOnly(branch));
  const isAlike = described.every((branch) => typesOf(branch).includes(String(documented.type)));
  if (documented.properties && isAlike) {
    return united(document, field, [asDocumented(document, described, documented)]);
  }
  if (described.length === 0) return united(document, field, [documented]);
  if (documented.enum && isAlike) {
    // TypeScript distinguishes jobs by their states, which a plain string would not allow.
    const values = distinct(described.flatMap((branch) => valuesOf(branch) ?? []));
    return united(document, field, [{ ...documented, ...(values.length > 0 && { enum: values }) }]);
  }
  if (documented.items && isAlike) {
    const lists = described.map(({ items, ...list }) => ({
      ...list,
      items: hasOnly(inline(document, items)) ? documented.items : kindsOf(document, items),
    }));
    return united(document, field, lists);
  }
  const isPlain = described.length === branches.length && (keepsNull || !admitsNull(document, field));
  return isPlain ? field : united(document, field, described);
}

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
  const properties = mapObject({ count: kept, ...Object(body.properties) }, (property, name) =>
    Object.hasOwn(rules, name) ? rules[name]?.(property) : property,
  );
  return { ...body, properties };
}

const kept: JsonObject = { [keptField]: true };

/** Requires at least one store URL, with a branch for each. The types and the run-time check both need that. */
function withStoreUrlRule(
  document: JsonObject,
  { description: _, required, ...body }: JsonObject,
): JsonObject {
  const storeUrls = ["iosUrl", "androidUrl"];
  const properties = { ...(body.properties as JsonObject) };
  // A default, or a field that only answers have, would take the rule away.
  for (const name of storeUrls) {
    properties[name] = withoutDefault(nonEmptyText(document, properties[name] ?? kept));
  }
  const branches = storeUrls.map((name) => distinct([...itemsOf(required), name]));
  return { anyOf: branches.map((required) => ({ ...body, properties, required })) };
}

const withoutDefault = ({ default: _, readOnly: __, ...schema }: JsonObject): JsonObject => schema;

/** A count is a number, as the SDK always sends one: by default the document's, or else 5 (section 4.2). */
function countOf(document: JsonObject, schema: unknown): JsonObject {
  const { default: stated } = inline(document, schema);
  const described = branchesOf(document, plainNumber(document, schema));
  const numbers = described.filter((one) => typesOf(one).some(isNumberType)).map(withRange);
  const limits = numbers.length > 0 ? numbers : [{ type: "integer", minimum: 1, maximum: 10 }];
  const count = united(document, schema, limits);
  const within = (number: number) =>
    limits.reduce((nearest, { minimum, maximum }: JsonObject) => {
      return Math.max(Math.min(nearest, Number(maximum ?? nearest)), Number(minimum ?? nearest));
    }, number);
  return { ...count, default: isNumber(stated) ? Number(stated) : within(5) };
}

/** A list of whole numbers without a gap as the range that it is, so that its type is a number. */
function withRange({ enum: values, ...schema }: JsonObject): JsonObject {
  const range = rangeOf(values);
  if (!range) return values === undefined ? schema : { ...schema, enum: values };
  const minimum = Math.max(range.minimum, Number(schema.minimum ?? range.minimum));
  return {
    ...schema,
    type: "integer",
    minimum,
    maximum: Math.min(range.maximum, Number(schema.maximum ?? range.maximum)),
  };
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
  const values = branchesOf(document, schema).flatMap((branch) => valuesOf(branch) ?? []);
  const listed = values.length > 0 && { [listedValues]: distinct(values) };
  return { ...rest, ...listed, type: admitsNull(document, schema) ? ["string", "null"] : "string" };
}

/** Keeps only the listed values if a document also allows any other string to say that values may be added. */
function listedText(document: JsonObject, schema: unknown): unknown {
  const lists = branchesOf(document, schema).map(valuesOf);
  const values = distinct(lists.flatMap((list) => list ?? []));
  const isOpen = values.length > 0 && lists.includes(undefined);
  return isOpen ? united(document, schema, [{ type: "string", enum: values }]) : schema;
}
