import type { JsonObject } from "../openapi/json.js";
import { knownOperations } from "../openapi/known-operations.js";
import {
  answerSchemas,
  bodySchema,
  isIdempotencyKey,
  isOwnHeader,
  operationsIn,
} from "../openapi/operations.js";
import { quoted, Refusal } from "../refusal.js";

/** Checks that the operations with SDK methods exist and have their bodies and answers. */
export function vetOperations(document: JsonObject): void {
  const present = operationsIn(document);
  for (const { name, method, path } of knownOperations) {
    const label = `${name} (${method.toUpperCase()} ${path})`;
    const found = present.find((other) => other.path === path && other.method === method);
    if (!found) throw new Refusal("missing-operation", `it lacks ${label}${near(present, path)}`);
    vetParameters(found.parameters, label);
    if (method === "post" && bodySchema(found.operation) === undefined) {
      throw new Refusal("missing-body", `${label} takes no JSON body`);
    }
    if (answerSchemas(found.operation).length === 0) {
      throw new Refusal("missing-answer", `${label} has no 2xx answer with a JSON body`);
    }
  }
}

/** The SDK's methods accept only path parameters and bodies, so no other parameter may be required. */
function vetParameters(parameters: JsonObject[], label: string): void {
  for (const parameter of parameters) {
    const { in: place, name, required } = parameter;
    if (required !== true || place === "path" || isOwnHeader(parameter) || isIdempotencyKey(parameter))
      continue;
    const named = `the ${place} parameter ${quoted(String(name))}`;
    throw new Refusal("required-parameter", `${label} requires ${named}, which the SDK cannot give`);
  }
}

/** Names the operation that was perhaps meant by a path that the document lacks. */
function near(present: { method: string; path: string }[], wanted: string): string {
  const distances = present.map(({ method, path }) => {
    return { label: `${method.toUpperCase()} ${path}`, distance: distanceBetween(path, wanted) };
  });
  const [nearest] = distances.sort((left, right) => left.distance - right.distance);
  const isNear = nearest !== undefined && nearest.distance <= wanted.length / 2;
  return isNear ? `; the nearest that it has is ${quoted(nearest.label)}` : "";
}

/** The number of characters to insert, delete or replace to turn one text into the other. */
function distanceBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1];
    for (let place = 0; place < other.length; place++) {
      const replaced = Number(row[place]) + Number(character !== other[place]);
      next.push(Math.min(replaced, Number(row[place + 1]) + 1, Number(next[place]) + 1));
    }
    row = next;
  }
  return Number(row.at(-1));
}
