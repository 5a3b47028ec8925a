import { isDeepStrictEqual } from "node:util";
import { canonicalSet, isObject, itemsOf, type JsonObject, mapObject, membersOf } from "../openapi/json.js";
import { knownOperations } from "../openapi/known-operations.js";
import { mapOperations } from "../openapi/operations.js";

/**
 * A copy of a normalised document in which required security schemes are named by their meaning. What the first known
 * operation requires is stated once, and only operations that differ from it state their own requirements.
 */
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
  const requiredBy = ({ security = document.security }: JsonObject) => {
    const alternatives = itemsOf(security).map((schemes) =>
      Object.fromEntries(membersOf(schemes).map(([name, scopes]) => [nameOf(name), scopes])),
    );
    return canonicalSet(alternatives);
  };
  const [{ path, method }] = knownOperations;
  const usual = requiredBy(
    (document.paths as Record<string, Record<string, JsonObject>>)[path]?.[method] ?? {},
  );
  const secured = mapOperations(document, ({ security, ...operation }) => {
    const required = requiredBy({ security });
    return isDeepStrictEqual(required, usual) ? operation : { ...operation, security: required };
  });
  return { ...secured, security: usual, components: { ...components, securitySchemes: used } };
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
