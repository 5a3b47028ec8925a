import {
  canonicalJson,
  distinct,
  isObject,
  itemsOf,
  type JsonObject,
  sortedMembersOf,
} from "../openapi/json.js";
import { hasOnly, valuesOf } from "../openapi/keywords.js";
import { knownOperations } from "../openapi/known-operations.js";
import { lookUp, referenceOf, resolve } from "../openapi/references.js";
import { answerOf, listOperations, type Operation } from "./emit-operations.js";
import { typesOf } from "./emit-schema.js";
import { partsOf, propertiesOf } from "./emit-values.js";
import { sampleNumber, sampleText } from "./sample-scalar.js";

/**
 * Values that satisfy a normalised document, for `src/generated/samples.ts`. They are plain data, so that the mock can
 * answer as the document asks without reading its schemas.
 */
export function emitSamples(document: JsonObject): string {
  const known = listOperations(document).slice(0, knownOperations.length);
  const answers = known.map((operation) => {
    const spot = spotIn(document, { name: operation.name, index: 0, isWhole: false });
    return [operation.name, samplesOf(answerOf(operation), spot)] as const;
  });
  return [
    "// Written by `npm run generate` from openapi.json. Do not edit.\n",
    "/** What each operation may answer, with the fields that are required: a value for each alternative. */",
    `export const answers: Record<string, readonly unknown[]> = ${canonicalJson(Object.fromEntries(answers))};\n`,
    "/** The slides of a set, with every field that the document describes; none while it describes no field. */",
    `export const slides: readonly unknown[] = ${canonicalJson(slidesOf(document, known))};\n`,
  ].join("\n");
}

/** The largest set that slides are made for, should the document allow huge ones. */
const mostSlides = 20;

function slidesOf(document: JsonObject, [, createScreenshots, getJob]: Operation[]): unknown[] {
  const result = fieldOf(document, getJob && answerOf(getJob), "result");
  const list = partsOf(document, fieldOf(document, result, "slides"));
  const slide = list.find(({ items }) => isObject(items))?.items;
  const { maximum = 10 } = resolve(document, fieldOf(document, createScreenshots?.body, "count"));
  const slides = Array.from({ length: Math.min(Number(maximum), mostSlides) }, (_, index) => {
    return samplesOf(slide, spotIn(document, { name: "slide", index, isWhole: true }))[0];
  });
  return slides.filter((one) => Object.keys(Object(one)).length > 0);
}

function fieldOf(document: JsonObject, schema: unknown, name: string): unknown {
  return propertiesOf(document, schema).find(([key]) => key === name)?.[1];
}

/** Where a value is to stand. */
interface Spot {
  document: JsonObject;
  /** The field that holds it. */
  name: string;
  /** The place of the slide that it belongs to, from 0: slides differ. */
  index: number;
  /** Whether it has every field that is described, or those that are required. */
  isWhole: boolean;
  /** The references that lead to it. */
  followed: readonly string[];
  /** How many more values may be made, as each level of a document can have many times those of the level above. */
  room: { left: number };
}

function spotIn(document: JsonObject, spot: Pick<Spot, "name" | "index" | "isWhole">): Spot {
  return { document, ...spot, followed: [], room: { left: 1_000 } };
}

/** As many alternatives are told apart. */
const mostAlternatives = 16;

/** A value for each alternative of a schema; none where it says nothing, or contains itself. */
function samplesOf(schema: unknown, spot: Spot): unknown[] {
  if (!isObject(schema) || spot.room.left-- <= 0) return [];
  const { $ref: _, allOf, anyOf, oneOf, ...own } = schema;
  const reference = referenceOf(schema);
  const parts = [
    ...(reference === undefined ? [] : [samplesAt(reference, spot)]),
    ...itemsOf(allOf).map((part) => samplesOf(part, spot)),
    ...[anyOf, oneOf].filter(Array.isArray).map((branches) => samplesOfUnion(branches, spot)),
  ];
  if (!hasOnly(own) || parts.length === 0) parts.unshift(ownSamples(own, spot));
  const telling = parts.filter((samples) => samples.length > 0);
  return telling.length === 0 ? [] : telling.reduce((left, right) => combined(left, right, merged));
}

function samplesAt(reference: string, spot: Spot): unknown[] {
  const { document, followed } = spot;
  if (followed.includes(reference)) return [];
  return samplesOf(lookUp(document, reference), { ...spot, followed: [...followed, reference] });
}

/** Null is an alternative that shows nothing. */
function samplesOfUnion(branches: unknown[], spot: Spot): unknown[] {
  const samples = branches.flatMap((branch) => samplesOf(branch, spot));
  const telling = samples.filter((sample) => sample !== null);
  return (telling.length > 0 ? telling : samples).slice(0, mostAlternatives);
}

/** Each of `left` with each of `right`. */
function combined<Left, Right, Both>(
  left: Left[],
  right: Right[],
  combine: (left: Left, right: Right) => Both,
): Both[] {
  return left.flatMap((one) => right.map((other) => combine(one, other))).slice(0, mostAlternatives);
}

function merged(left: unknown, right: unknown): unknown {
  return isObject(left) && isObject(right) ? { ...left, ...right } : right;
}

function ownSamples(schema: JsonObject, spot: Spot): unknown[] {
  const values = valuesOf(schema);
  if (values) return [values.find((value) => value !== null) ?? null];
  const types = typesOf(schema, undefined);
  const type = types.find((one) => one !== "null") ?? types[0];
  if (type === "object") return sampleObjects(schema, spot);
  if (type === "array") return [sampleList(schema, spot)];
  if (type === "string") return [sampleText(schema, spot.name, spot.index)];
  if (type === "integer" || type === "number") return [sampleNumber({ ...schema, type }, spot.index)];
  if (type === "boolean") return [false];
  return type === "null" ? [null] : [];
}

function sampleObjects(schema: JsonObject, spot: Spot): JsonObject[] {
  const required = itemsOf(schema.required).map(String);
  const described = new Map(sortedMembersOf(schema.properties));
  const names = spot.isWhole ? distinct([...described.keys(), ...required]) : distinct(required);
  return names.reduce<JsonObject[]>(
    (objects, name) => {
      const samples = samplesOf(described.get(name), { ...spot, name });
      // Anything would do, but something has to be there.
      if (samples.length === 0 && required.includes(name)) samples.push(null);
      if (samples.length === 0) return objects;
      return combined(objects, samples, (object, sample) => ({ ...object, [name]: sample }));
    },
    [{}],
  );
}

/** No longer than it has to be. */
function sampleList({ minItems, prefixItems, items }: JsonObject, spot: Spot): unknown[] {
  const first = itemsOf(prefixItems);
  return Array.from({ length: Math.min(Number(minItems ?? 0), 100) }, (_, place) => {
    const [sample = null] = samplesOf(first[place] ?? items, { ...spot, index: spot.index + place });
    return sample;
  });
}
