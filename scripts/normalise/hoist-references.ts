import { isObject, type JsonObject, membersOf } from "../openapi/json.js";
import { circular, lookUp, referenceOf } from "../openapi/references.js";

const toComponent = /^#\/components\/[^/]+\/[^/]+$/;
const intoSchema = /\/(?:schemas?|properties|items|anyOf|oneOf|allOf|additionalProperties)(?:\/|$)/;

/**
 * A copy of the document in which references point at components only: what they point at elsewhere
 * moves while the document is put in order. Schemas become components; the rest is copied in place.
 */
export function hoistReferences(document: JsonObject): JsonObject {
  const components = isObject(document.components) ? document.components : {};
  const hoisted: JsonObject = {};
  const names = new Map<string, string>();

  const hoist = (reference: string): string => {
    let name = names.get(reference);
    if (name === undefined) {
      name = freeName(reference, { ...(components.schemas as JsonObject), ...hoisted });
      names.set(reference, name);
      hoisted[name] = {};
      hoisted[name] = copy(lookUp(document, reference), []);
    }
    return `#/components/schemas/${name}`;
  };

  const copy = (value: unknown, followed: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((item) => copy(item, followed));
    const reference = referenceOf(value);
    if (reference && !toComponent.test(reference)) {
      return intoSchema.test(reference)
        ? { ...(value as JsonObject), $ref: hoist(reference) }
        : copy(lookUp(document, reference), follow(followed, reference));
    }
    return isObject(value)
      ? Object.fromEntries(membersOf(value).map(([key, member]) => [key, copy(member, followed)]))
      : value;
  };

  const result = copy(document, []) as JsonObject;
  if (names.size > 0) {
    const copied = (result.components ?? {}) as JsonObject;
    result.components = { ...copied, schemas: { ...(copied.schemas as JsonObject), ...hoisted } };
  }
  return result;
}

function freeName(reference: string, taken: JsonObject): string {
  const base = reference.replace(/[^A-Za-z\d]+/g, "_").replace(/^_/, "");
  let name = base;
  for (let count = 2; Object.hasOwn(taken, name); count++) {
    name = `${base}_${count}`;
  }
  return name;
}

function follow(followed: readonly string[], reference: string): string[] {
  if (followed.includes(reference)) throw circular(reference);
  return [...followed, reference];
}
