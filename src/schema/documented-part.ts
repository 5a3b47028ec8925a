import * as z from "zod/mini";
import { isRecord } from "./parse.js";

/** What zod says of a schema, as far as it is looked at here. */
interface Definition {
  type: string;
  shape?: Record<string, z.core.$ZodType>;
  catchall?: z.core.$ZodType;
  element?: z.core.$ZodType;
  innerType?: z.core.$ZodType;
  getter?(): z.core.$ZodType;
  left?: z.core.$ZodType;
  right?: z.core.$ZodType;
  options?: readonly z.core.$ZodType[];
}

const definitionOf = (schema: z.core.$ZodType) => schema._zod.def as unknown as Definition;

/**
 * A value that a schema accepts, without the fields that the schema does not name, at every depth that it describes by
 * fields. A map stays, and so does an object of which nothing is described.
 */
export function documentedPart(schema: z.core.$ZodType, value: unknown): unknown {
  const {
    type,
    shape = {},
    catchall,
    element,
    innerType,
    getter,
    left,
    right,
    options,
  } = definitionOf(schema);
  const inner = innerType ?? getter?.();
  if (inner) return documentedPart(inner, value);
  if (element && Array.isArray(value)) return value.map((item) => documentedPart(element, item));
  if (left && right) {
    const documented = [left, right].map((side) => documentedPart(side, value));
    // A side that describes no fields gives back the value.
    return joined(
      documented.filter((part) => part !== value),
      value,
    );
  }
  if (options) {
    // Several alternatives may fit, and each names fields.
    const fitting = options.filter((option) => z.safeParse(option, value).success);
    return joined(
      fitting.map((option) => documentedPart(option, value)),
      value,
    );
  }
  if (type !== "object" || !isRecord(value)) return value;

  const isMap = catchall !== undefined && definitionOf(catchall).type !== "unknown";
  if (isMap || Object.keys(shape).length === 0) return value;
  const fields = Object.entries(shape).filter(([name]) => Object.hasOwn(value, name));
  return Object.fromEntries(fields.map(([name, field]) => [name, documentedPart(field, value[name])]));
}

/** The fields of several parts of a value, or else the first part. */
function joined(parts: unknown[], value: unknown): unknown {
  const [first = value] = parts;
  return parts.length > 1 && parts.every(isRecord) ? Object.assign({}, ...parts) : first;
}
