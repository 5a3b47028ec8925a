import type * as z from "zod/mini";
import { parse } from "../../schema/parse.js";
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

/** Most values lack nothing: those are not copied. */
function completedObject(shape: Record<string, Schema>, value: Record<string, unknown>) {
  let completed = value;
  for (const name of Object.keys(shape)) {
    const field = shape[name] as Schema;
    const part = value[name] === undefined ? neededValue(field, name) : completedValue(field, value[name]);
    if (part === value[name]) continue;
    if (completed === value) completed = { ...value };
    completed[name] = part;
  }
  return completed;
}

function neededValue(field: Schema, name: string): unknown {
  return definitionOf(field).type === "optional" ? undefined : (describedValue(field, name, 0) ?? null);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
