import {
  distinct,
  inverted,
  isObject,
  itemsOf,
  type JsonObject,
  membersOf,
  reachedBy,
  unescaped,
} from "../openapi/json.js";
import { isNumberType, typesOf, valuesOf } from "../openapi/keywords.js";
import {
  inline,
  mapMembers,
  mappingOf,
  type Place,
  partsOf,
  referenceOf,
  referenceTo,
  root,
} from "../openapi/walk.js";

/**
 * Replaces discriminators by what they say: each alternative lists the values of its tag, and a base becomes the union of its
 * subtypes. The type generator would take the name of a component for the value.
 */
export function listKinds(document: JsonObject): JsonObject {
  const { schemas, ...components } = document.components as JsonObject;
  const bases = membersOf(schemas).filter(([, schema]) => isBase(schema)) as [string, JsonObject][];
  const parents = new Map(membersOf(schemas).map(([name]) => [referenceTo(name), parentsOf(document, name)]));
  const children = inverted(parents);
  const subtypes = new Map(
    bases.map(([name, { discriminator }]) => {
      const mapped = mappedBy(discriminator);
      const [, ...composed] = reachedBy([referenceTo(name)], children);
      return [referenceTo(name), mapped.length > 0 ? mapped : composed.sort()] as const;
    }),
  );
  /** The subtypes of each base, and what these are composed of. */
  const lines = new Map([...subtypes].map(([base, list]) => [base, reachedBy(list, parents)]));
  /** A subtype, at this place, is composed of the base itself, and not of the union that replaces it elsewhere. */
  const ofBase = (part: unknown, { pointer }: Place) => {
    const base = referenceOf(part) ?? "";
    const component = pointer.split("/").slice(0, 4).join("/");
    return lines.get(base)?.has(component) ? { ...(part as JsonObject), $ref: `${base}.base` } : part;
  };
  const tagged = (parts: unknown, discriminator: unknown, base?: string) =>
    itemsOf(parts).map((part) => {
      const tag = isObject(discriminator) && tagOf(document, part, discriminator);
      // The base may be one of its own subtypes.
      const own = base !== undefined && referenceOf(part) === base ? { $ref: `${base}.base` } : part;
      return tag ? { allOf: [own, tag] } : own;
    });
  const copy = (value: unknown, place: Place): unknown => {
    if (place.kind !== "schema" || !isObject(value)) return mapMembers(value, place, copy);
    const { discriminator, ...schema } = value;
    const mapped = isBase(value) && !isComponent(place) ? mappedBy(discriminator) : [];
    if (mapped.length > 0) return { oneOf: tagged(mapped.map(refer), discriminator) };
    const { allOf, anyOf, oneOf } = schema;
    const changed = {
      ...schema,
      ...(Array.isArray(allOf) && { allOf: allOf.map((part) => ofBase(part, place)) }),
      ...(Array.isArray(anyOf) && { anyOf: tagged(anyOf, discriminator) }),
      ...(Array.isArray(oneOf) && { oneOf: tagged(oneOf, discriminator) }),
    };
    return mapMembers(changed, place, copy);
  };
  const copied = copy(document, root) as { components: { schemas: JsonObject } };
  const added = bases.flatMap(([name, { discriminator }]) => {
    const base = referenceTo(name);
    const union = tagged(subtypes.get(base)?.map(refer), discriminator, base);
    return [
      [`${name}.base`, copied.components.schemas[name]],
      [name, union.length > 0 ? { oneOf: union } : { $ref: `${base}.base` }],
    ];
  });
  const all = { ...copied.components.schemas, ...Object.fromEntries(added) };
  return { ...copied, components: { ...components, schemas: all } };
}

function isBase(schema: unknown): boolean {
  return isObject(schema) && isObject(schema.discriminator) && !schema.anyOf && !schema.oneOf;
}

const isComponent = ({ pointer }: Place) => /^#\/components\/schemas\/[^/]+$/.test(pointer);

const refer = ($ref: string) => ({ $ref });

/** The subtypes that a discriminator's mapping names. Without one, they are those that are composed of the base. */
const mappedBy = (discriminator: unknown) =>
  distinct(mappingOf(discriminator).map(([, reference]) => reference));

/** What a component is composed of. */
function parentsOf(document: JsonObject, name: string): string[] {
  const parts = itemsOf(inline(document, refer(referenceTo(name))).allOf);
  return parts.map(referenceOf).filter((reference) => reference !== undefined);
}

/** What a discriminator says of an alternative that does not say it itself; without any values, that is its name. */
function tagOf(document: JsonObject, part: unknown, discriminator: JsonObject): JsonObject | undefined {
  const name = String(discriminator.propertyName);
  const reference = referenceOf(part);
  const tags = partsOf(document, part)
    .flatMap(({ properties }) => membersOf(properties).filter(([key]) => key === name))
    .flatMap(([, tag]) => partsOf(document, tag));
  const lists = tags.map(valuesOf).filter((values) => values !== undefined);
  const isNumber = tags.flatMap(typesOf).some(isNumberType);
  const mapped = mappingOf(discriminator).filter(([, target]) => target === reference);
  const stated = mapped.map(([value]) => (isNumber ? Number(value) : value));
  const component = lists.length === 0 && reference ? [unescaped(reference.split("/").at(-1) ?? "")] : [];
  const values: unknown[] = (stated.length > 0 ? stated : component).filter((value) =>
    lists.every((list) => list.includes(value)),
  );
  const isListed = lists.some((list) => list.every((value) => values.includes(value)));
  if (values.length === 0 || isListed) return undefined;
  return { type: "object", required: [name], properties: { [name]: { enum: values } } };
}
