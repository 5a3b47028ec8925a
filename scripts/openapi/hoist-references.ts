import type { JsonObject } from "./json.js";
import { follow, lookUp, mapMembers, maxParts, type Place, partsCounter, referenceOf, root } from "./walk.js";

/** A reference to a component, whose name is one that OpenAPI allows and that is short. */
const toSchema = /^#\/components\/schemas\/[\w.-]{1,200}$/;

/**
 * A copy whose only references lead from schemas to components, as anything else may move. Other schemas that are referred to
 * become components, and everything else is copied into place. They are looked up in `whole`.
 */
export function hoistReferences(document: JsonObject, whole: JsonObject): JsonObject {
  const { schemas = {}, securitySchemes = {} } = (document.components ?? {}) as JsonObject;
  const hoisted: JsonObject = {};
  const names = new Map<string, string>();
  const taken = new Set(Object.keys(Object(schemas)));
  const count = partsCounter(maxParts);

  const hoist = (reference: string, place: Place): string => {
    let name = names.get(reference);
    if (name === undefined) {
      name = takeName(reference, taken);
      names.set(reference, name);
      hoisted[name] = {};
      hoisted[name] = copy(lookUp(whole, reference), place, []);
    }
    return `#/components/schemas/${name}`;
  };

  const copy = (value: unknown, place: Place, followed: readonly string[]): unknown => {
    count();
    const reference = place.kind === "data" ? undefined : referenceOf(value);
    if (!reference) return mapMembers(value, place, (member, inner) => copy(member, inner, followed));
    if (place.kind !== "schema") return copy(lookUp(whole, reference), place, follow(followed, reference));
    const $ref = toSchema.test(reference) ? reference : hoist(reference, place);
    const siblings = mapMembers(value, place, (member, inner) => copy(member, inner, followed));
    return { ...(siblings as JsonObject), $ref };
  };

  const used = { ...document, components: { schemas, securitySchemes } };
  const copied = copy(used, root, []) as JsonObject & { components: { schemas: JsonObject } };
  Object.assign(copied.components.schemas, hoisted);
  return copied;
}

/** A name for what a reference points to, which is not taken yet; now it is. */
function takeName(reference: string, taken: Set<string>): string {
  const base = reference
    .slice(-100)
    .replace(/[^A-Za-z\d]+/g, "_")
    .replace(/^_/, "");
  let count = 1;
  while (taken.has(`${base}_${count}`)) count++;
  taken.add(`${base}_${count}`);
  return `${base}_${count}`;
}
