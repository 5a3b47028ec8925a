import { distinct, isObject, itemsOf, type JsonObject, mapObject } from "../openapi/json.js";
import { hasOnly, orNull, typesOf, valuesOf } from "../openapi/keywords.js";
import { type KnownOperation, neverNull } from "../openapi/known-operations.js";
import { answerSchemas, isSuccess, jsonContent } from "../openapi/operations.js";
import { inline } from "../openapi/walk.js";
import { admitsNull, branchesOf, joined, united } from "./join-schemas.js";

/** Merges the 2xx answers of an operation into one, whose JSON is one object with the documented fields. */
export function withPlainAnswer(
  document: JsonObject,
  operation: JsonObject,
  known: KnownOperation,
): JsonObject {
  const { status, fields } = known.answer;
  const branches = answerSchemas(operation).flatMap((schema) => branchesOf(document, schema));
  const isJob = known.name === "getJob";
  const schema = isJob ? jobOf(document, branches, fields) : asDocumented(document, branches, fields);
  const responses = Object.entries((operation.responses ?? {}) as Record<string, JsonObject>);
  const [, answer] = responses.find(([key, { content }]) => isSuccess(key) && jsonContent(content)) ?? [];
  const others = responses.filter(([key]) => !isSuccess(key));
  const content = { "application/json": { schema } };
  return { ...operation, responses: { ...Object.fromEntries(others), [status]: { ...answer, content } } };
}

/**
 * Joins the branches of a job. Its result comes from those that may have succeeded, its error from those that may have
 * failed. Both may be null, as in most of its states, and may be left out if one of several branches does so.
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

function withNull(document: JsonObject, schema: unknown): JsonObject {
  const branches = branchesOf(document, schema);
  const isPlain = branches.length === 1 && branches[0]?.type !== undefined;
  return isPlain
    ? orNull(united(document, schema, branches))
    : united(document, schema, [...branches, { type: "null" }]);
}

/** Joins the alternatives of an object into one, in which the documented fields are described and required. */
function asDocumented(document: JsonObject, branches: JsonObject[], documented: JsonObject): JsonObject {
  const fields = documented.properties as Record<string, JsonObject>;
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
