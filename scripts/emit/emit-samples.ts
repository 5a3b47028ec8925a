import { canonicalJson, isObject, type JsonObject } from "../openapi/json.js";
import { partsOf, propertyOf, resolve } from "../openapi/walk.js";
import { emitErrors } from "./emit-errors.js";
import { operationFacts } from "./operation-facts.js";
import { sampler } from "./sampler.js";

/** The values of `src/generated/samples.ts`, with which the mock answers as the document says. */
export function emitSamples(document: JsonObject): string {
  const known = operationFacts(document).filter((operation) => operation.known);
  const sample = (schema: unknown, name: string) =>
    sampler(document, "required")(schema, { name, index: 0, followed: [] });
  const { createScreenshots, getJob } = Object.fromEntries(
    known.map((operation) => [operation.name, operation]),
  );
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
    `export const slides: readonly unknown[] = ${canonicalJson(slidesOf(document, createScreenshots?.body, getJob?.answers[0]))};\n`,
    "/** An error that the document lists. Without a body, it does not say what that is. */",
    "export interface ErrorAnswer {",
    "  mediaType?: string;",
    "  body?: (told: { message: string; code: string; status: number }) => unknown;",
    "}\n",
    "/** The errors that the document lists for each operation, by status: `404`, `4XX`, `default`. */",
    `export const errorAnswers: Record<string, Record<string, ErrorAnswer>> = ${emitErrors(document)};`,
    "",
  ].join("\n");
}

/** Sample slides: at most 20, in case the document allows huge sets. */
function slidesOf(document: JsonObject, body: unknown, job: unknown): unknown[] {
  const result = propertyOf(document, job, "result");
  const lists = partsOf(document, propertyOf(document, result, "slides"));
  const slide = lists.find(({ items }) => isObject(items))?.items;
  const { maximum = 10 } = resolve(document, propertyOf(document, body, "count"));
  const slides = Array.from({ length: Math.min(Number(maximum), 20) }, (_, index) =>
    sampler(document, "described")(slide, { name: "slide", index, followed: [] }),
  );
  return slides.filter((one) => one !== undefined && !(isObject(one) && Object.keys(one).length === 0));
}
