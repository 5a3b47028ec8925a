import { createContext, runInContext } from "node:vm";
import {
  canonicalJson,
  distinct,
  isObject,
  itemsOf,
  type JsonObject,
  sortedMembersOf,
} from "../openapi/json.js";
import { hasOnly, typesOf, valuesOf } from "../openapi/keywords.js";
import { knownOperations } from "../openapi/known-operations.js";
import { expressionOf } from "../openapi/patterns.js";
import { lookUp, partsOf, propertyOf, referenceOf, resolve } from "../openapi/walk.js";
import { listOperations, type Operation } from "./emit-operations.js";

/**
 * Values that satisfy a normalised document, for `src/generated/samples.ts`. They are plain data, so that the mock can
 * answer according to the document without reading its schemas.
 */
export function emitSamples(document: JsonObject): string {
  const known = listOperations(document).slice(0, knownOperations.length);
  const sample = (schema: unknown, name: string) =>
    new Sampler(document, "required").sampleOf(schema, { name, index: 0, followed: [] });
  const [, , getJob] = known;
  // The mock includes these in every job, required or not.
  const shown = ["result", "error"]
    .map((field) => [field, sample(propertyOf(document, getJob?.answers[0], field), field)])
    .filter(([, value]) => value !== undefined);
  const answers = known.map((operation) => {
    const required = sample(operation.answers[0], operation.name);
    const isJob = operation === getJob && isObject(required);
    return [operation.name, isJob ? { ...Object.fromEntries(shown), ...required } : required];
  });
  return [
    "// Written by `npm run generate` from openapi.json. Do not edit.\n",
    "/** What each operation may answer: the fields that are required, and a job's result and error. */",
    `export const answers: Record<string, unknown> = ${canonicalJson(Object.fromEntries(answers))};\n`,
    "/** The slides of a set, with every field that the document describes; none while it describes no field. */",
    `export const slides: readonly unknown[] = ${canonicalJson(slidesOf(document, known))};\n`,
    "/** What ids of apps begin with, and how many digits follow at least, where the document asks for a form. */",
    `export const appIdForm: { head: string; digits: number } | undefined = ${canonicalJson(appIdFormOf(document, known))};\n`,
  ].join("\n");
}

/** Sample slides: at most 20, in case the document allows huge sets. */
function slidesOf(document: JsonObject, [, createScreenshots, getJob]: Operation[]): unknown[] {
  const result = propertyOf(document, getJob?.answers[0], "result");
  const lists = partsOf(document, propertyOf(document, result, "slides"));
  const slide = lists.find(({ items }) => isObject(items))?.items;
  const { maximum = 10 } = resolve(document, propertyOf(document, createScreenshots?.body, "count"));
  const slides = Array.from({ length: Math.min(Number(maximum), 20) }, (_, index) =>
    new Sampler(document, "described").sampleOf(slide, { name: "slide", index, followed: [] }),
  );
  return slides.filter((one) => one !== undefined && !(isObject(one) && Object.keys(one).length === 0));
}

/** The form of app ids; undefined if ids such as `app_1` are valid, or if no form that is known here is. */
function appIdFormOf(document: JsonObject, [, createScreenshots]: Operation[]) {
  const schemas = partsOf(document, propertyOf(document, createScreenshots?.body, "appId"));
  const literals = schemas.map(({ pattern }) => /^\^([\w-]+)/.exec(String(pattern))?.[1] ?? "");
  const uuids = [..."12345678"].map((version) => `00000000-0000-${version}000-8000-`);
  const forms = ["app_", "", ...literals, ...uuids].flatMap((head) =>
    Array.from({ length: 64 }, (_, further) => ({ head, digits: 1 + further })),
  );
  const fits = ({ head, digits }: (typeof forms)[number]) => {
    const ids = ["1", "10", "999"].map((number) => head + number.padStart(digits, "0"));
    return ids.every((id) => schemas.every((schema) => isTextOf(schema, id)));
  };
  const form = withinASecond(() => forms.find(fits));
  return form === forms[0] ? undefined : form;
}

function isTextOf({ pattern, minLength = 0, maxLength = Infinity }: JsonObject, text: string): boolean {
  const hasLength = text.length >= Number(minLength) && text.length <= Number(maxLength);
  return hasLength && expressionOf(pattern)?.test(text) !== false;
}

/** Where searches run. Making another for each would take longer than the search. */
const context = createContext({});

/** Runs a search that uses patterns of the document, which may take years; undefined if it takes more than a second. */
function withinASecond<Found>(find: () => Found): Found | undefined {
  try {
    return runInContext("find()", Object.assign(context, { find }), { timeout: 1_000 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  }
}

/** What a sample depends on besides its schema. */
interface Part {
  name: string;
  /** Makes samples of the same schema differ. */
  index: number;
  /** The references that lead to this part. */
  followed: readonly string[];
}

/** Makes one value that satisfies a schema. */
class Sampler {
  /** How many more parts the sample may have. Each level of a document can have many times those of the level above. */
  #left = 1_000;

  constructor(
    private readonly document: JsonObject,
    private readonly fields: "required" | "described",
  ) {}

  /** A sample of the schema; undefined if the schema says nothing or contains itself. */
  sampleOf(schema: unknown, part: Part): unknown {
    if (!isObject(schema) || this.#left-- <= 0) return undefined;
    const { $ref: _, allOf, anyOf, oneOf, ...own } = schema;
    const all = (schemas: unknown) => itemsOf(schemas).map((one) => this.sampleOf(one, part));
    const samples = [
      hasOnly(own) ? undefined : this.#ownSample(own, part),
      this.#target(referenceOf(schema), part),
      ...all(allOf),
      // Prefers an alternative other than null, which shows nothing.
      ...[all(anyOf), all(oneOf)].map((each) => each.find((one) => (one ?? null) !== null) ?? each[0]),
    ].filter((one) => one !== undefined);
    return samples.length > 0 && samples.every(isObject) ? Object.assign({}, ...samples) : samples.at(-1);
  }

  #target(reference: string | undefined, part: Part): unknown {
    if (!reference || part.followed.includes(reference)) return undefined;
    const followed = [...part.followed, reference];
    return this.sampleOf(lookUp(this.document, reference), { ...part, followed });
  }

  #ownSample(schema: JsonObject, part: Part): unknown {
    const values = valuesOf(schema);
    if (values) return values.find((value) => value !== null) ?? null;
    const types = typesOf(schema);
    const type = types.find((one) => one !== "null") ?? types[0];
    if (type === "object") return this.#object(schema, part);
    if (type === "array") return this.#list(schema, part);
    if (type === "string") return sampleText(schema, part);
    if (type === "integer" || type === "number") return sampleNumber({ ...schema, type }, part.index);
    if (type === "boolean") return false;
    return type === "null" ? null : undefined;
  }

  #object(schema: JsonObject, part: Part): JsonObject {
    const required = itemsOf(schema.required).map(String);
    const described = new Map(sortedMembersOf(schema.properties));
    const names = this.fields === "required" ? required : distinct([...described.keys(), ...required]);
    const members = names.map((name) => {
      const sample = this.sampleOf(described.get(name), { ...part, name });
      // Any value is valid, but a required property must be present.
      return [name, sample ?? (required.includes(name) ? null : undefined)];
    });
    return Object.fromEntries(members.filter(([, sample]) => sample !== undefined));
  }

  /** A list with no more items than required. */
  #list({ minItems = 0, prefixItems, items }: JsonObject, part: Part): unknown[] {
    return Array.from({ length: Math.min(Number(minItems), 100) }, (_, place) => {
      const item = itemsOf(prefixItems)[place] ?? items;
      return this.sampleOf(item, { ...part, index: part.index + place }) ?? null;
    });
  }
}

const formats = new Map<unknown, (number: number) => string>([
  ["date-time", () => "2026-01-01T00:00:00Z"],
  ["date", () => "2026-01-01"],
  ["email", (number) => `person-${number}@example.com`],
  ["uri", (number) => `https://example.com/${number}`],
  ["url", (number) => `https://example.com/${number}`],
  ["uuid", (number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`],
]);

/** A string of the schema's format or length. If its pattern rejects that, the schema's own example or default. */
function sampleText(schema: JsonObject, { name, index }: Part): string {
  const { format, example, examples, pattern, minLength = 0, maxLength = Infinity } = schema;
  // Limits the length, whatever the document asks for.
  const padded = `${name} ${index + 1}`.padEnd(Math.min(Number(minLength), 10_000), ".");
  const made = formats.get(format)?.(index + 1) ?? [...padded].slice(0, Number(maxLength)).join("");
  const given = [example, ...itemsOf(examples), schema.default].filter((text) => typeof text === "string");
  const expression = expressionOf(pattern);
  if (!expression) return made;
  const fitting = withinASecond(() => [made, ...given].find((text) => expression.test(text)));
  return fitting ?? given[0] ?? made;
}

/** A number within the schema's bounds: the index if it is within them. */
function sampleNumber(schema: JsonObject, index: number): number {
  const bound = (keyword: string, otherwise: number) => Number(schema[keyword] ?? otherwise);
  const [minimum, above] = [bound("minimum", -Infinity), bound("exclusiveMinimum", -Infinity)];
  const [maximum, below] = [bound("maximum", Infinity), bound("exclusiveMaximum", Infinity)];
  const [low, high, step] = [Math.max(minimum, above), Math.min(maximum, below), bound("multipleOf", 1)];
  const isFitting = (number: number) =>
    [number >= minimum, number > above, number <= maximum, number < below].every(Boolean) &&
    (schema.type !== "integer" || Number.isInteger(number)) &&
    (schema.multipleOf === undefined || Number.isInteger(number / step));
  const [up, down] = [Math.floor(low / step), Math.ceil(high / step)];
  const multiples = [index, up, up + 1, down, down - 1].map((count) => count * step);
  return [index, ...multiples, (low + high) / 2].find(isFitting) ?? index;
}
