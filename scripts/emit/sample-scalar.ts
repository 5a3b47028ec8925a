import { itemsOf, type JsonObject } from "../openapi/json.js";
import { patternFlags } from "../openapi/keywords.js";

/** Texts in the formats of JSON Schema and OpenAPI. */
const formats: Record<string, (number: number) => string> = {
  "date-time": () => "2026-01-01T00:00:00Z",
  date: () => "2026-01-01",
  time: () => "00:00:00Z",
  duration: () => "P1D",
  email: (number) => `person-${number}@example.com`,
  hostname: () => "example.com",
  ipv4: () => "127.0.0.1",
  ipv6: () => "::1",
  uri: (number) => `https://example.com/${number}`,
  "uri-reference": (number) => `/${number}`,
  url: (number) => `https://example.com/${number}`,
  uuid: (number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
  byte: () => "AAAA",
};

/** What patterns often ask for. */
const usualShapes = ["a-1", "A1", "abc", "ABC", "1", "12345", "1.0.0", "#000000", "en-US", "00:00"];

/** A longer text is not made, whatever a document asks for. */
const longest = 10_000;

/**
 * A text that satisfies a schema. Where none is found for its pattern, it is the one that the document gives as an
 * example or a default, if any.
 *
 * @param index makes texts of the same schema differ
 */
export function sampleText(schema: JsonObject, name: string, index: number): string {
  const { format, example, examples, pattern } = schema;
  const minLength = Math.min(Number(schema.minLength ?? 0), longest);
  const maxLength = Number(schema.maxLength ?? Infinity);
  const plain = [...`${name} ${index + 1}`.padEnd(minLength, ".")].slice(0, maxLength).join("");
  const made = Object.hasOwn(formats, String(format)) ? formats[String(format)]?.(index + 1) : undefined;
  const given = [example, ...itemsOf(examples), schema.default].filter((text) => typeof text === "string");
  const flags = patternFlags(pattern);
  const expression = flags === undefined ? undefined : new RegExp(String(pattern), flags);
  const isFitting = (text: string) => {
    const { length } = [...text];
    return length >= minLength && length <= maxLength && (expression?.test(text) ?? true);
  };
  const texts = [made ?? plain, ...given, ...(made === undefined ? usualShapes : [])];
  return texts.find(isFitting) ?? given[0] ?? made ?? plain;
}

/** A number that satisfies a schema: the index, if that does. */
export function sampleNumber(schema: JsonObject, index: number): number {
  const bound = (keyword: string, otherwise: number) => Number(schema[keyword] ?? otherwise);
  const [minimum, above] = [bound("minimum", -Infinity), bound("exclusiveMinimum", -Infinity)];
  const [maximum, below] = [bound("maximum", Infinity), bound("exclusiveMaximum", Infinity)];
  const [low, high] = [Math.max(minimum, above), Math.min(maximum, below)];
  const step = bound("multipleOf", 1);
  const up = [Math.ceil(low / step), Math.floor(low / step) + 1];
  const down = [Math.floor(high / step), Math.ceil(high / step) - 1];
  const isWhole = (number: number) => schema.type !== "integer" || Number.isInteger(number);
  const isMultiple = (number: number) => schema.multipleOf === undefined || Number.isInteger(number / step);
  const isWithin = (number: number) =>
    number >= minimum && number > above && number <= maximum && number < below;
  const numbers = [index, ...[index, ...up, ...down].map((count) => count * step), (low + high) / 2];
  const isFitting = (number: number) => isWithin(number) && isWhole(number) && isMultiple(number);
  return numbers.find((number) => Number.isFinite(number) && isFitting(number)) ?? index;
}
