import type { JsonObject } from "../openapi/json.js";
import { emitList, listOperations } from "./emit-operations.js";
import { defaultsOf, listedValues } from "./listed-values.js";

/**
 * The lists and defaults of `src/generated/values.ts`, from a normalised document. A file of their own, as what the
 * package's declarations name may not lead them to the schemas, which need zod.
 */
export function emitValues(document: JsonObject): string {
  const operations = listOperations(document);
  const [, createScreenshots, getJob] = operations;
  const defaults = operations.flatMap(({ name, body }) => {
    const values = defaultsOf(document, body);
    return Object.keys(values).length > 0 ? [[name, values] as const] : [];
  });
  const list = (name: string, values: unknown[]) => `export const ${name} = ${emitList(values)} as const;\n`;
  return [
    "// Written by `npm run generate` from openapi.json. Do not edit.\n",
    "/** The devices that the document lists for a screenshot set. */",
    list("devices", listedValues(document, createScreenshots?.body, "device")),
    "/** The statuses that the document lists for a job. */",
    list("jobStatuses", listedValues(document, getJob?.answers[0], "status")),
    "/** The name of every operation of the document. */",
    list(
      "operationNames",
      operations.map(({ name }) => name),
    ),
    "/** The defaults that the document states for the fields of each request body. */",
    `export const defaults = ${JSON.stringify(Object.fromEntries(defaults), null, 2)} as const;\n`,
  ].join("\n");
}
