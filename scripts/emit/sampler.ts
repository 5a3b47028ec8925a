import { isObject, itemsOf, type JsonObject, sortedMembersOf } from "../openapi/json.js";
import { hasOnly, typesOf, valuesOf } from "../openapi/keywords.js";
import { lookUp, referenceOf } from "../openapi/walk.js";

/** What a sample depends on besides its schema. */
export interface Part {
  name: string;
  /** Makes samples of the same schema differ. */
  index: number;
  /** The references that lead to this part. */
  followed: readonly string[];
}

/**
 * Makes one value that satisfies a schema, with the fields that it requires, or with all that it describes.
 *
 * @param known returns what is known of a part by its name; undefined for all others
 */
export function sampler(
  document: JsonObject,
  fields: "required" | "described",
  known: (schema: JsonObject, part: Part) => unknown = () => undefined,
) {
  /** How many more parts the sample may have. Each level of a document can have many times those of the level above. */
  let left = 1_000;

  /** A sample of the schema; undefined if the schema says nothing or contains itself. */
  const sampleOf = (schema: unknown, part: Part): unknown => {
    if (!isObject(schema) || left-- <= 0) return undefined;
    const { $ref: _, allOf, anyOf, oneOf, ...own } = schema;
    const all = (schemas: unknown) => itemsOf(schemas).map((one) => sampleOf(one, part));
    const samples = [
      hasOnly(own) ? undefined : ownSample(own, part),
      target(referenceOf(schema), part),
      ...all(allOf),
      // Prefers an alternative other than null, which shows nothing.
      ...[all(anyOf), all(oneOf)].map((each) => each.find((one) => (one ?? null) !== null) ?? each[0]),
    ].filter((one) => one !== undefined);
    return samples.length > 0 && samples.every(isObject) ? Object.assign({}, ...samples) : samples.at(-1);
  };

  const target = (reference: string | undefined, part: Part): unknown =>
    reference && !part.followed.includes(reference)
      ? sampleOf(lookUp(document, reference), { ...part, followed: [...part.followed, reference] })
      : undefined;

  const ownSample = (schema: JsonObject, part: Part): unknown => {
    const told = known(schema, part);
    if (told !== undefined) return told;
    const values = valuesOf(schema);
    if (values) return values.find((value) => value !== null) ?? null;
    const types = typesOf(schema);
    return byType.get(types.find((type) => type !== "null") ?? types[0])?.(schema, part);
  };

  const objectOf = (schema: JsonObject, part: Part): JsonObject => {
    const isRequired = (name: string) => itemsOf(schema.required).includes(name);
    const members = sortedMembersOf(schema.properties)
      .filter(([name]) => fields === "described" || isRequired(name))
      // Any value is valid, but a required property must be present.
      .map(([name, field]) => [
        name,
        sampleOf(field, { ...part, name }) ?? (isRequired(name) ? null : undefined),
      ]);
    return Object.fromEntries(members.filter(([, sample]) => sample !== undefined));
  };

  /** A list with no more items than required. */
  const listOf = ({ minItems = 0, prefixItems, items }: JsonObject, part: Part): unknown[] =>
    Array.from({ length: Math.min(Number(minItems), 100) }, (_, place) => {
      const item = itemsOf(prefixItems)[place] ?? items;
      return sampleOf(item, { ...part, index: part.index + place }) ?? null;
    });

  const byType = new Map<unknown, (schema: JsonObject, part: Part) => unknown>([
    ["object", objectOf],
    ["array", listOf],
    ["string", sampleText],
    ["integer", sampleNumber],
    ["number", sampleNumber],
    ["boolean", () => false],
    ["null", () => null],
  ]);
  return sampleOf;
}

const formats = new Map<unknown, (number: number) => string>([
  ["date-time", () => "2026-01-01T00:00:00Z"],
  ["date", () => "2026-01-01"],
  ["email", (number) => `person-${number}@example.com`],
  ["uri", (number) => `https://example.com/${number}`],
  ["url", (number) => `https://example.com/${number}`],
  ["uuid", (number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`],
]);

/** A string of the schema's format or length or, where it has a pattern, its own example or default. */
function sampleText(schema: JsonObject, { name, index }: Part): string {
  const { format, example, examples, pattern, minLength = 0, maxLength = Infinity } = schema;
  const given = [example, ...itemsOf(examples), schema.default].find((text) => typeof text === "string");
  if (pattern !== undefined && given !== undefined) return given;
  // Limits the length, whatever the document asks for.
  const padded = `${name} ${index + 1}`.padEnd(Math.min(Number(minLength), 10_000), ".");
  return formats.get(format)?.(index + 1) ?? padded.slice(0, Number(maxLength));
}

/** Numbers from 0 on, or from the schema's lowest one above it, up to the highest. */
function sampleNumber(schema: JsonObject, { index }: Part): number {
  const { minimum, exclusiveMinimum = -Infinity, maximum, exclusiveMaximum = Infinity } = schema;
  const lowest = Number(minimum ?? Number(exclusiveMinimum) + 1);
  const highest = Number(maximum ?? Number(exclusiveMaximum) - 1);
  return Math.max(Math.min(Math.max(lowest, 0) + index, highest), lowest);
}
