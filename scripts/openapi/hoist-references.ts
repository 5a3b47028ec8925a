import type { JsonObject } from "./json.js";
import { follow, lookUp, mapMembers, maxParts, type Place, partsCounter, referenceOf, root } from "./walk.js";

/** A reference to a component, whose name is one that OpenAPI allows. */
const toSchema = /^#\/components\/schemas\/[\w.-]+$/;

/**
 * A copy of the document whose only references lead from schemas to components, because anything else may move while
 * the document is rewritten. Other schemas that are referred to become components. Everything else, such as answers and
 * path items, is copied into place.
 */
export function hoistReferences(document: JsonObject): JsonObject {
  const { schemas = {}, securitySchemes = {} } = (document.components ?? {}) as JsonObject;
  const hoisted: JsonObject = {};
  const names = new Map<string, string>();
  const count = partsCounter(maxParts);

  const hoist = (reference: string, place: Place): string => {
    let name = names.get(reference);
    if (name === undefined) {
      name = freeName(reference, { ...(schemas as JsonObject), ...hoisted });
      names.set(reference, name);
      hoisted[name] = {};
      hoisted[name] = copy(lookUp(document, reference), place, []);
    }
    return `#/components/schemas/${name}`;
  };

  const copy = (value: unknown, place: Place, followed: readonly string[]): unknown => {
    count();
    const reference = place.kind === "data" ? undefined : referenceOf(value);
    if (!reference) return mapMembers(value, place, (member, inner) => copy(member, inner, followed));
    if (place.kind !== "schema") return copy(lookUp(document, reference), place, follow(followed, reference));
    const $ref = toSchema.test(reference) ? reference : hoist(reference, place);
    const siblings = mapMembers(value, place, (member, inner) => copy(member, inner, followed));
    return { ...(siblings as JsonObject), $ref };
  };

  const used = { ...document, components: { schemas, securitySchemes } };
  const copied = copy(used, root, []) as JsonObject & { components: { schemas: JsonObject } };
  Object.assign(copied.components.schemas, hoisted);
  return copied;
}

function freeName(reference: string, taken: JsonObject): string {
  const base = reference.replace(/[^A-Za-z\d]+/g, "_").replace(/^_/, "");
  let name = base;
  for (let count = 2; Object.hasOwn(taken, name); count++) name = `${base}_${count}`;
  return name;
}
