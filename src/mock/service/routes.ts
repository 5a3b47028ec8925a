import { operations } from "../../generated/operations.js";
import type { operationNames } from "../../generated/values.js";

/** The name of an operation in the OpenAPI document. */
export type OperationName = (typeof operationNames)[number];

type Operation = (typeof operations)[number];

/** The operation that a request asks for, with its parameters. */
export interface Route {
  operation: Operation;
  /** The path's parameters, decoded. */
  parameters: Record<string, string>;
}

const routes = operations.map((operation) => ({ operation, pattern: patternOf(operation.path) }));

/** Finds the operation of the OpenAPI document for a method and a path below the base URL. */
export function findRoute(method: string, path: string): Route | undefined {
  for (const { operation, pattern } of routes) {
    const values = operation.method === method ? pattern.exec(path) : null;
    if (values) return withParameters(operation, values.slice(1));
  }
  return undefined;
}

function patternOf(path: string): RegExp {
  const parts = path.split(/\{[^{}]+\}/).map((part) => part.replace(/[.*+?^$()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("([^/]+)")}$`);
}

/** @param values one for each parameter, because the pattern has a group for each */
function withParameters(operation: Operation, values: string[]): Route | undefined {
  const parameters: Record<string, string> = {};
  try {
    for (const [index, name] of operation.pathParameters.entries()) {
      parameters[name] = decodeURIComponent(values[index] as string);
    }
    return { operation, parameters };
  } catch {
    // A stray percent sign, which no path of the service contains.
    return undefined;
  }
}
