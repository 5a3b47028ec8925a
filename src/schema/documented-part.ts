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
  const definition = definitionOf(schema);
  const { type, shape = {}, catchall, element, left, right, options } = definition;
  const inner = definition.innerType ?? definition.getter?.();
  if (inner) return documentedPart(inner, value);
  if (element && Array.isArray(value)) return value.map((item) => documentedPart(element, item));
  const partOf = (one: z.core.$ZodType) => documentedPart(one, value);
  if (left && right) {
    // A side that describes no fields gives back the value.
    const parts = [left, right].map(partOf).filter((part) => part !== value);
    return joined(value, parts);
  }
  // Several alternatives may fit, and each names fields.
  if (options) return joined(value, options.filter((one) => z.safeParse(one, value).success).map(partOf));
  if (type !== "object" || !isRecord(value)) return value;

  const isMap = catchall !== undefined && definitionOf(catchall).type !== "unknown";
  if (isMap || Object.keys(shape).length === 0) return value;
  const fields = Object.entries(shape).filter(([name]) => Object.hasOwn(value, name));
  return Object.fromEntries(fields.map(([name, field]) => [name, documentedPart(field, value[name])]));
}

/** The fields of several parts of a value, or else the first part. */
function joined(value: unknown, parts: unknown[]): unknown {
  const [first = value] = parts;
  return parts.length > 1 && parts.every(isRecord) ? Object.assign({}, ...parts) : first;
}
