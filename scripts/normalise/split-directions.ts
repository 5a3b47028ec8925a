import { inverted, isObject, itemsOf, type JsonObject, membersOf, reachedBy } from "../openapi/json.js";
import { type Direction, mapJson, mapMessages } from "../openapi/operations.js";
import {
  anySchema,
  inline,
  lookUp,
  mapMembers,
  type Place,
  referenceOf,
  referenceTo,
  visitValues,
} from "../openapi/walk.js";

/** A copy of the document without read-only properties in bodies and without write-only properties in answers. */
export function withoutHidden(document: JsonObject): JsonObject {
  return splitDirections(document, (schema, direction) => {
    const flag = direction === "request" ? "readOnly" : "writeOnly";
    const isHidden = ([, property]: [string, unknown]) => inline(document, property)[flag] === true;
    const hidden = membersOf(schema.properties).filter(isHidden);
    if (hidden.length === 0) return schema;
    const shown = membersOf(schema.properties).filter((member) => !isHidden(member));
    const required = itemsOf(schema.required).filter((name) => !hidden.some(([other]) => other === name));
    return { ...schema, properties: Object.fromEntries(shown), required };
  });
}

/** Makes properties with a default optional in bodies. `sent`: those that the SDK always sends. */
export function withOptionalDefaults(document: JsonObject, sent: unknown[] = ["count"]): JsonObject {
  return splitDirections(document, (schema, direction) => {
    const properties = new Map<unknown, unknown>(membersOf(schema.properties));
    const mayBeLeftOut = (name: unknown) =>
      !sent.includes(name) && inline(document, properties.get(name)).default !== undefined;
    const required = itemsOf(schema.required);
    if (direction === "answer" || !required.some(mayBeLeftOut)) return schema;
    return { ...schema, required: required.filter((name) => !mayBeLeftOut(name)) };
  });
}

/** Applies a rule to each body and answer. It returns the same object where a direction changes nothing. */
function splitDirections(
  document: JsonObject,
  rule: (schema: JsonObject, direction: Direction) => JsonObject,
): JsonObject {
  const { schemas, ...components } = document.components as JsonObject & { schemas: JsonObject };
  const split: JsonObject = {};
  const changed = { request: changedBy("request"), answer: changedBy("answer") };

  /** The components that the rule changes, and those that lead to them. */
  function changedBy(direction: Direction): Set<string> {
    const own = new Set<string>();
    const referred = membersOf(schemas).map(([name, component]) => {
      const references: string[] = [];
      visitValues(component, anySchema, (value, { kind }) => {
        if (kind !== "schema" || !isObject(value)) return;
        references.push(...[referenceOf(value)].filter((reference) => reference !== undefined));
        if (rule(value, direction) !== value) own.add(referenceTo(name));
      });
      return [referenceTo(name), references] as const;
    });
    return reachedBy(own, inverted(referred));
  }

  const copy = (value: unknown, place: Place, direction: Direction): unknown => {
    const change = (member: unknown, inner: Place) => copy(member, inner, direction);
    if (place.kind !== "schema" || !isObject(value)) return mapMembers(value, place, change);
    const reference = referenceOf(value);
    if (reference === undefined) return mapMembers(rule(value, direction), place, change);
    return {
      ...value,
      $ref: changed[direction].has(reference) ? componentFor(reference, direction) : reference,
    };
  };

  const componentFor = (reference: string, direction: Direction): string => {
    const name = `${reference.split("/").at(-1)}.${direction}`;
    if (!Object.hasOwn(split, name)) {
      split[name] = {};
      split[name] = copy(lookUp(document, reference), anySchema, direction);
    }
    return `#/components/schemas/${name}`;
  };

  const copied = mapMessages(document, (message, direction) =>
    mapJson(message, (entry) => ({ ...entry, schema: copy(entry.schema, anySchema, direction) })),
  );
  return { ...copied, components: { ...components, schemas: { ...schemas, ...split } } };
}
