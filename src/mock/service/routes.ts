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

const routes = operations.map((operation) => {
  const { sentPath, path } = operation;
  return { operation, parametersIn: pathReader(sentPath ?? path) };
});

/** Finds the operation of the OpenAPI document for a method and a path below the base URL. */
export function findRoute(method: string, path: string): Route | undefined {
  for (const { operation, parametersIn } of routes) {
    const parameters = operation.method === method ? parametersIn(path) : undefined;
    if (parameters) return { operation, parameters };
  }
  return undefined;
}

/** A reader of paths like `/jobs/{id}`: it returns the decoded parameters, or undefined for any other path. */
export function pathReader(template: string): (path: string) => Record<string, string> | undefined {
  const names = [...template.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name);
  const parts = template.split(/\{[^{}]+\}/).map((part) => part.replace(/[.*+?^$()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`^${parts.join("([^/]+)")}$`);
  return (path) => {
    const [match, ...values] = pattern.exec(path) ?? [];
    if (match === undefined) return undefined;
    try {
      return Object.fromEntries(values.map((value, index) => [names[index], decodeURIComponent(value)]));
    } catch {
      // A stray percent sign, which no path of the service contains.
      return undefined;
    }
  };
}
