import type { JsonObject } from "../openapi/json.js";
import { follow, lookUp, mapMembers, type Place, referenceOf, root } from "../openapi/walk.js";

const toComponent = /^#\/components\/[^/]+\/[^/]+$/;

/**
 * A copy of the document whose references point only at components, because anything else may move while the document
 * is rewritten. Schemas that are referred to elsewhere become components; everything else is copied into place.
 */
export function hoistReferences(document: JsonObject): JsonObject {
  const { schemas = {} } = (document.components ?? {}) as JsonObject;
  const hoisted: JsonObject = {};
  const names = new Map<string, string>();

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
    const reference = referenceOf(value);
    if (!reference || toComponent.test(reference)) {
      return mapMembers(value, place, (member, inner) => copy(member, inner, followed));
    }
    return place.kind === "schema"
      ? { ...(value as JsonObject), $ref: hoist(reference, place) }
      : copy(lookUp(document, reference), place, follow(followed, reference));
  };

  const result = copy(document, root, []) as JsonObject;
  if (names.size === 0) return result;
  const components = (result.components ?? {}) as JsonObject;
  return {
    ...result,
    components: { ...components, schemas: { ...(components.schemas as JsonObject), ...hoisted } },
  };
}

function freeName(reference: string, taken: JsonObject): string {
  const base = reference.replace(/[^A-Za-z\d]+/g, "_").replace(/^_/, "");
  let name = base;
  for (let count = 2; Object.hasOwn(taken, name); count++) name = `${base}_${count}`;
  return name;
}
