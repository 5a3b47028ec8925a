import type * as z from "zod/mini";
import { parse } from "../schema.js";
import { definitionOf, describedValue } from "./described-value.js";

type Schema = z.core.$ZodType;

/**
 * A value with the fields that its schema requires and that it lacks. A document may come to require more of an answer
 * than the mock knows of, and what is made from that document would refuse the mock's answers. What lists hold stays as
 * it is.
 */
export function completedValue(schema: Schema, value: unknown): unknown {
  const definition = definitionOf(schema);
  switch (definition.type) {
    case "optional":
    case "nullable":
      return completedValue(definition.innerType, value);
    case "lazy":
      return completedValue(definition.getter(), value);
    case "union":
      return completedByOne(definition.options, value);
    case "intersection":
      return completedValue(definition.right, completedValue(definition.left, value));
    case "object":
      return isRecord(value) ? completedObject(definition.shape, value) : value;
    default:
      return value;
  }
}

/** Which of the alternatives was meant shows once the value is complete. */
function completedByOne(options: readonly Schema[], value: unknown): unknown {
  for (const option of options) {
    const completed = completedValue(option, value);
    if (parse(() => option, completed).ok) return completed;
  }
  return value;
}

function completedObject(shape: Record<string, Schema>, value: Record<string, unknown>) {
  const completed = { ...value };
  for (const [name, field] of Object.entries(shape)) {
    if (value[name] !== undefined) completed[name] = completedValue(field, value[name]);
    else if (definitionOf(field).type !== "optional")
      completed[name] = describedValue(field, name, 0) ?? null;
  }
  return completed;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
