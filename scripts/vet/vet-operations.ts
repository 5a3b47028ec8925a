import type { JsonObject } from "../openapi/json.js";
import { type KnownOperation, knownOperations } from "../openapi/known-operations.js";
import {
  answerSchemas,
  bodySchema,
  isIdempotencyKey,
  isOwnHeader,
  operationsIn,
} from "../openapi/operations.js";
import type { FurtherOperation } from "../openapi/split-paths.js";
import { quoted, Refusal } from "../refusal.js";

/** Checks that the operations with SDK methods exist and have their bodies and answers. `further`: the document's others. */
export function vetOperations(document: JsonObject, further: FurtherOperation[]): void {
  const present = operationsIn(document);
  for (const known of knownOperations) {
    const { name, method, path } = known;
    const label = `${name} (${method.toUpperCase()} ${path})`;
    const found = present.find((other) => other.known === known);
    if (!found) {
      const others = [...present, ...further].filter((other) => other.method === method);
      const paths = others.map((other) => other.path).sort();
      throw new Refusal("missing-operation", `it lacks ${label}, but has ${quoted(paths.join(" "))}`);
    }
    vetParameters(found.parameters, known, label);
    if (known.takesBody && bodySchema(found.operation) === undefined) {
      throw new Refusal("missing-body", `${label} takes no JSON body`);
    }
    if (known.needed.length > 0 && answerSchemas(found.operation).length === 0) {
      throw new Refusal("missing-answer", `${label} has no 2xx answer with a JSON body`);
    }
  }
}

/** No parameter may be required that a method does not take. */
function vetParameters(parameters: JsonObject[], { takesQuery }: KnownOperation, label: string): void {
  for (const parameter of parameters) {
    const { in: place, name, required } = parameter;
    const isGiven = place === "path" || (place === "query" && takesQuery);
    if (required !== true || isGiven || isOwnHeader(parameter) || isIdempotencyKey(parameter)) continue;
    const named = `the ${place} parameter ${quoted(String(name))}`;
    throw new Refusal("required-parameter", `${label} requires ${named}, which the SDK cannot give`);
  }
}
