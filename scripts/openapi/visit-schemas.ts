import { isObject, itemsOf, type JsonObject, membersOf } from "./json.js";
import { literalKeys, nameMapKeys, partKeys, partListKeys, partMapKeys } from "./schema-keys.js";

/** What is done with a schema, or what stands in place of one, and with the way that leads to it. */
export type SchemaVisit = (schema: unknown, pointer: string) => void;

/** Calls `visit` for every schema of a document, those inside others after these. References are not followed. */
export function visitSchemas(document: JsonObject, visit: SchemaVisit): void {
  visitNode(document, "#", visit, false);
}

/** `keysAreNames`: the document chose these keys, so that one called `schema` means nothing. */
function visitNode(node: unknown, pointer: string, visit: SchemaVisit, keysAreNames: boolean): void {
  itemsOf(node).forEach((item, index) => {
    visitNode(item, `${pointer}/${index}`, visit, false);
  });
  for (const [key, value] of membersOf(node)) {
    const inner = `${pointer}/${escaped(key)}`;
    if (keysAreNames) {
      visitNode(value, inner, visit, false);
    } else if (key === "schemas") {
      visitMembers(value, inner, visit);
    } else if (key === "schema") {
      visitSchema(value, inner, visit);
    } else if (!literalKeys.has(key)) {
      visitNode(value, inner, visit, nameMapKeys.has(key));
    }
  }
}

function visitSchema(schema: unknown, pointer: string, visit: SchemaVisit): void {
  visit(schema, pointer);
  if (!isObject(schema)) return;
  for (const [key, value] of membersOf(schema)) {
    const inner = `${pointer}/${escaped(key)}`;
    if (partKeys.has(key)) {
      visitSchema(value, inner, visit);
    } else if (partListKeys.has(key)) {
      itemsOf(value).forEach((part, index) => {
        visitSchema(part, `${inner}/${index}`, visit);
      });
    } else if (partMapKeys.has(key)) {
      visitMembers(value, inner, visit);
    }
  }
}

function visitMembers(value: unknown, pointer: string, visit: SchemaVisit): void {
  for (const [name, schema] of membersOf(value)) {
    visitSchema(schema, `${pointer}/${escaped(name)}`, visit);
  }
}

/** A key as it stands in a JSON pointer. */
export function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
