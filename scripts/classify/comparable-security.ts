import { canonicalSet, isObject, itemsOf, type JsonObject, mapObject, membersOf } from "../openapi/json.js";
import { mapOperations } from "../openapi/operations.js";

/** A copy of a normalised document in which each operation says what it requires, by schemes named for their meaning. */
export function withComparableSecurity(document: JsonObject): JsonObject {
  const { securitySchemes, ...components } = document.components as JsonObject;
  const schemes = mapObject(securitySchemes, comparableScheme);
  const used: JsonObject = {};
  const nameOf = (name: string) => {
    const scheme = schemes[name];
    const meaning = isObject(scheme) ? meaningOf(scheme) : name;
    used[meaning] = scheme;
    return meaning;
  };
  const secured = mapOperations(document, ({ security = document.security, ...operation }) => {
    const alternatives = itemsOf(security).map((schemes) =>
      Object.fromEntries(membersOf(schemes).map(([name, scopes]) => [nameOf(name), scopes])),
    );
    return { ...operation, security: canonicalSet(alternatives) };
  });
  return { ...secured, components: { ...components, securitySchemes: used } };
}

/** HTTP's names of schemes and headers are case-insensitive. */
function comparableScheme(scheme: unknown): unknown {
  const { in: place } = Object(scheme);
  return mapObject(scheme, (value, key) =>
    key === "scheme" || (key === "name" && place === "header") ? String(value).toLowerCase() : value,
  );
}

function meaningOf({ type, in: place, name, scheme }: JsonObject): string {
  const parts = [type, place, name, scheme].filter((part) => part !== undefined);
  return parts.join(".").replace(/[^\w.-]/g, "_");
}
