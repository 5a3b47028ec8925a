import { distinct, groupedByName, type JsonObject, sortedMembersOf } from "../openapi/json.js";
import { valuesOf } from "../openapi/keywords.js";
import { inline, partsOf, propertiesOf } from "../openapi/walk.js";
import { messageFields } from "./emit-errors.js";
import { emitArguments } from "./emit-schema.js";
import { operationFacts } from "./operation-facts.js";
import { priceOf, severalPrices } from "./price.js";

/** The module `values.ts`, apart from the schemas because the package's declarations name it without zod. */
export function emitValues(
  document: JsonObject,
  basePath: string,
  { price, isStated } = priceOf(document),
): string {
  const operations = operationFacts(document);
  const { createScreenshots, getJob } = Object.fromEntries(operations.map((one) => [one.name, one]));
  const known = operations.filter((one) => one.known !== undefined);
  const fields = known.map(({ name, body }) => [name, fieldsOf(document, body)] as const);
  const names = operations.map(({ name }) => name);
  const deprecated = known.filter(({ isDeprecated }) => isDeprecated).map((one) => one.known?.call);
  const { device, count } = fieldsOf(document, createScreenshots?.body);
  const { status } = fieldsOf(document, { anyOf: getJob?.answers ?? [] });
  const list = (name: string, values: unknown[]) =>
    `export const ${name} = [${emitArguments(values)}] as const;\n`;
  return [
    "// Written by `npm run generate` from openapi.json. Do not edit.\n",
    "/** The devices that the document lists for a screenshot set. */",
    list("devices", device?.values ?? []),
    "/** The statuses that the document lists for a job. */",
    list("jobStatuses", status?.values ?? []),
    "/** The name of every operation of the document. */",
    list("operationNames", names),
    "/** The methods whose operations the document marks as deprecated. */",
    list("deprecatedCalls", deprecated),
    "/** The path of the service's base address by the document or, if that states none, as it is known to be. */",
    `export const basePath: string = ${JSON.stringify(basePath)};\n`,
    "/** The fields in which common APIs put messages for people, in the order in which they are tried. */",
    list("messageFields", messageFields),
    "/** How many slides a set has if a request does not say it. */",
    `export const defaultCount = ${JSON.stringify(count?.default)};\n`,
    isStated
      ? `/** What a screenshot set costs by the document, in credits: ${price}. An acceptance says what it did cost. */`
      : `/** What a screenshot set is taken to cost, in credits: ${price}, as no single price can be read from the document. An acceptance says what it did cost. */`,
    `export const setCost: number = ${price};\n`,
    "/** The highest of `setCost` and of the prices that the document names, in credits: a budget counts what is not known to be less. */",
    `export const highestSetCost: number = ${Math.max(price, ...(severalPrices(document)?.numbers ?? []))};\n`,
    "/** What the document says of the fields of each request body. */",
    `export const requestFields: Record<string, Record<string, ${fieldType}>> = ${JSON.stringify(Object.fromEntries(fields), null, 2)};\n`,
  ].join("\n");
}

const fieldType =
  "{ values?: readonly unknown[]; minimum?: number; maximum?: number; maxLength?: number; default?: unknown }";

/** The values, limits and defaults that a schema states for its properties, by name, for people to read. */
export function fieldsOf(document: JsonObject, schema: unknown) {
  const factsOf = (own: unknown[]) => {
    // If several parts of the schema state a limit or a default, the first one counts.
    const parts = own.flatMap((property) => partsOf(document, property));
    const values = distinct(
      parts.flatMap((part) => valuesOf(part) ?? []).filter((value) => typeof value === "string"),
    );
    const limit = (keyword: string) =>
      parts.map((part) => part[keyword]).find((value) => typeof value === "number");
    return {
      values: values.length > 0 ? values : undefined,
      minimum: limit("minimum"),
      maximum: limit("maximum"),
      maxLength: limit("maxLength"),
      default: own.map((property) => inline(document, property).default).find((value) => value !== undefined),
    };
  };
  const properties = Object.fromEntries(groupedByName(propertiesOf(document, schema)));
  return Object.fromEntries(
    sortedMembersOf(properties).map(([name, own]) => [name, factsOf(own as unknown[])]),
  );
}
