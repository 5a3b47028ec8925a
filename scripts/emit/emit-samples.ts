import {
  canonicalJson,
  distinct,
  isObject,
  itemsOf,
  type JsonObject,
  sortedMembersOf,
} from "../openapi/json.js";
import { alternativesOf, hasOnly, valuesOf } from "../openapi/keywords.js";
import { knownOperations } from "../openapi/known-operations.js";
import { lookUp, referenceOf, resolve } from "../openapi/references.js";
import { listOperations, type Operation } from "./emit-operations.js";
import { typesOf } from "./emit-schema.js";
import { partsOf, propertiesOf } from "./emit-values.js";
import { sampleNumber, sampleText } from "./sample-scalar.js";

/**
 * Values that satisfy a normalised document, for `src/generated/samples.ts`. They are plain data, so that the mock can
 * answer as the document asks without reading its schemas.
 */
export function emitSamples(document: JsonObject): string {
  const known = listOperations(document).slice(0, knownOperations.length);
  const answers = known.map(({ name, answers }) => {
    const alternatives = answers.flatMap((answer) => alternativesIn(document, answer));
    return [name, alternatives.map((answer) => new Sampler(document, 0, "required").sampleOf(answer, name))];
  });
  return [
    "// Written by `npm run generate` from openapi.json. Do not edit.\n",
    "/** What each operation may answer, with the fields that are required: a value for each alternative. */",
    `export const answers: Record<string, readonly unknown[]> = ${canonicalJson(Object.fromEntries(answers))};\n`,
    "/** The slides of a set, with every field that the document describes; none while it describes no field. */",
    `export const slides: readonly unknown[] = ${canonicalJson(slidesOf(document, known))};\n`,
  ].join("\n");
}

/** The alternatives of a schema, each with all that is beside them. */
function alternativesIn(document: JsonObject, schema: unknown): unknown[] {
  const object = resolve(document, schema);
  const key = alternativesOf(object);
  if (key === undefined) return [schema];
  const { [key]: branches, ...beside } = object;
  return itemsOf(branches).map((branch) => ({ allOf: [beside, branch] }));
}

/** The largest set that slides are made for, should the document allow huge ones. */
const mostSlides = 20;

function slidesOf(document: JsonObject, [, createScreenshots, getJob]: Operation[]): unknown[] {
  const fieldOf = (schema: unknown, name: string) =>
    propertiesOf(document, schema).find(([key]) => key === name)?.[1];
  const lists = partsOf(document, fieldOf(fieldOf({ anyOf: getJob?.answers }, "result"), "slides"));
  const slide = lists.find(({ items }) => isObject(items))?.items;
  const { maximum = 10 } = resolve(document, fieldOf(createScreenshots?.body, "count"));
  const slides = Array.from({ length: Math.min(Number(maximum), mostSlides) }, (_, index) =>
    new Sampler(document, index, "described").sampleOf(slide, "slide"),
  );
  return slides.filter((one) => Object.keys(Object(one)).length > 0);
}

/** Makes one value that satisfies a schema. */
class Sampler {
  readonly #document: JsonObject;
  #index: number;
  readonly #fields: "required" | "described";
  /** How many more parts it may have, as each level of a document can have many times those of the level above. */
  #left = 1_000;

  /** @param index makes samples of the same schema differ */
  constructor(document: JsonObject, index: number, fields: "required" | "described") {
    this.#document = document;
    this.#index = index;
    this.#fields = fields;
  }

  /** Undefined where the schema says nothing, or contains itself. */
  sampleOf(schema: unknown, name: string, followed: readonly string[] = []): unknown {
    if (!isObject(schema) || this.#left-- <= 0) return undefined;
    const { $ref: _, allOf, anyOf, oneOf, ...own } = schema;
    const references = [referenceOf(schema)].filter((one) => one && !followed.includes(one)) as string[];
    const samples = [
      hasOnly(own) ? undefined : this.#ownSample(own, name, followed),
      ...references.map((one) => this.sampleOf(lookUp(this.#document, one), name, [...followed, one])),
      ...itemsOf(allOf).map((part) => this.sampleOf(part, name, followed)),
      ...[anyOf, oneOf].map((branches) => this.#firstSample(itemsOf(branches), name, followed)),
    ].filter((sample) => sample !== undefined);
    return samples.length > 0 && samples.every(isObject) ? Object.assign({}, ...samples) : samples.at(-1);
  }

  /** Null is an alternative that shows nothing. */
  #firstSample(branches: unknown[], name: string, followed: readonly string[]): unknown {
    const samples = branches.map((branch) => this.sampleOf(branch, name, followed));
    return samples.find((sample) => sample !== undefined && sample !== null) ?? samples.at(0);
  }

  #ownSample(schema: JsonObject, name: string, followed: readonly string[]): unknown {
    const values = valuesOf(schema);
    if (values) return values.find((value) => value !== null) ?? null;
    const types = typesOf(schema, undefined);
    const type = types.find((one) => one !== "null") ?? types[0];
    if (type === "object") return this.#object(schema, followed);
    if (type === "array") return this.#list(schema, name, followed);
    if (type === "string") return sampleText(schema, name, this.#index);
    if (type === "integer" || type === "number") return sampleNumber({ ...schema, type }, this.#index);
    if (type === "boolean") return false;
    return type === "null" ? null : undefined;
  }

  #object(schema: JsonObject, followed: readonly string[]): JsonObject {
    const required = itemsOf(schema.required).map(String);
    const described = new Map(sortedMembersOf(schema.properties));
    const names = this.#fields === "required" ? required : distinct([...described.keys(), ...required]);
    const members = names.map((name) => {
      const sample = this.sampleOf(described.get(name), name, followed);
      // Anything would do, but something has to be there.
      return [name, sample ?? (required.includes(name) ? null : undefined)];
    });
    return Object.fromEntries(members.filter(([, sample]) => sample !== undefined));
  }

  /** No longer than it has to be. */
  #list({ minItems, prefixItems, items }: JsonObject, name: string, followed: readonly string[]): unknown[] {
    const first = itemsOf(prefixItems);
    const length = Math.min(Number(minItems ?? 0), 100);
    const list = Array.from({ length }, (_, place) => {
      const item = this.sampleOf(first[place] ?? items, name, followed) ?? null;
      this.#index++;
      return item;
    });
    this.#index -= length;
    return list;
  }
}
