import { isObject, itemsOf, type JsonObject, membersOf } from "./json.js";
import { literalKeys, nameMapKeys, partKeys, partListKeys, partMapKeys } from "./schema-keys.js";

/** What a schema becomes before its parts are looked at, and the references that were inlined to get there. */
export type SchemaChange = (
  schema: JsonObject,
  inlined: readonly string[],
) => { schema: JsonObject; inlined: readonly string[] };

/** A copy of the schema with `change` applied to it and to every schema inside, the outer one first. */
function mapSchema(schema: unknown, change: SchemaChange, inlined: readonly string[] = []): unknown {
  if (!isObject(schema)) return schema;
  const changed = change(schema, inlined);
  const inner = (part: unknown) => mapSchema(part, change, changed.inlined);
  return Object.fromEntries(
    membersOf(changed.schema).map(([key, value]) => {
      if (partKeys.has(key)) return [key, inner(value)];
      if (partListKeys.has(key)) return [key, itemsOf(value).map(inner)];
      return [key, partMapKeys.has(key) ? mapMembers(value, inner) : structuredClone(value)];
    }),
  );
}

/** A copy of the document with `change` applied to every schema in it. */
export function mapDocumentSchemas(document: JsonObject, change: SchemaChange): JsonObject {
  return mapNode(document, change, false) as JsonObject;
}

/** `keysAreNames`: the document chose these keys, so that one called `schema` means nothing. */
function mapNode(node: unknown, change: SchemaChange, keysAreNames: boolean): unknown {
  if (Array.isArray(node)) return node.map((item) => mapNode(item, change, false));
  if (!isObject(node)) return node;
  return Object.fromEntries(
    membersOf(node).map(([key, value]) => {
      if (keysAreNames) return [key, mapNode(value, change, false)];
      if (key === "schemas") {
        const members = membersOf(value).map(([name, schema]) => {
          return [name, mapSchema(schema, change, [`#/components/schemas/${name}`])];
        });
        return [key, Object.fromEntries(members)];
      }
      if (key === "schema") return [key, mapSchema(value, change)];
      return [
        key,
        literalKeys.has(key) ? structuredClone(value) : mapNode(value, change, nameMapKeys.has(key)),
      ];
    }),
  );
}

function mapMembers(value: unknown, change: (member: unknown) => unknown): JsonObject {
  return Object.fromEntries(membersOf(value).map(([key, member]) => [key, change(member)]));
}
