import type * as z from "zod/mini";

type Schema = z.core.$ZodType;

/** How deep a schema that refers to itself is followed. */
const deepest = 4;

/** The schema of what a value holds under these names, looking into arrays; undefined where there is none. */
export function memberOf(schema: Schema, names: string[]): Schema | undefined {
  const definition = definitionOf(schema);
  const [name, ...others] = names;
  switch (definition.type) {
    case "optional":
    case "nullable":
      return memberOf(definition.innerType, names);
    case "lazy":
      return memberOf(definition.getter(), names);
    case "array":
      return memberOf(definition.element, names);
    case "union":
      return definition.options.map((option) => memberOf(option, names)).find(Boolean);
    case "intersection":
      return memberOf(definition.left, names) ?? memberOf(definition.right, names);
    default: {
      if (name === undefined) return schema;
      const member = definition.type === "object" ? definition.shape[name] : undefined;
      return member && memberOf(member, others);
    }
  }
}

/** A value as a schema describes it, with every field that it names; undefined where it says nothing. */
export function describedValue(schema: Schema, name: string, index: number, depth = 0): unknown {
  const definition = definitionOf(schema);
  const describe = (inner: Schema) => describedValue(inner, name, index, depth);
  switch (definition.type) {
    case "string":
      return (definition as { example?: string }).example ?? `${name} ${index + 1}`;
    case "number":
      return index;
    case "boolean":
      return false;
    case "array":
      return [];
    case "optional":
    case "nullable":
      return describe(definition.innerType);
    case "lazy":
      return depth < deepest ? describedValue(definition.getter(), name, index, depth + 1) : undefined;
    case "union":
      return definition.options.map(describe).find((value) => value !== undefined);
    case "intersection":
      return Object.assign(Object(describe(definition.left)), describe(definition.right));
    case "object":
      return describeFields(definition.shape, index, depth);
    default:
      return undefined;
  }
}

function describeFields(shape: Record<string, Schema>, index: number, depth: number) {
  const fields = Object.entries(shape).map(([key, field]) => {
    const isRequired = definitionOf(field).type !== "optional";
    // Anything would do, but something has to be there.
    return [key, describedValue(field, key, index, depth) ?? (isRequired ? null : undefined)];
  });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** What a schema says. */
export function definitionOf(schema: Schema) {
  return (schema as z.core.$ZodTypes)._zod.def;
}
