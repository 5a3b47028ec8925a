import { isObject, itemsOf, type JsonObject, sortedMembersOf } from "../openapi/json.js";
import type { SchemaContext } from "./schema-context.js";

/** Code for an object. Unknown keys are kept unless a request's schema forbids them. */
export function emitObject(schema: JsonObject, context: SchemaContext): string {
  const shape = emitShape(schema, context);
  const extra = schema.additionalProperties;
  // Keys that only a pattern describes are let through, whatever else is forbidden.
  if (extra === false && !schema.patternProperties && context.mode === "request") {
    return `z.strictObject(${shape})`;
  }
  const says = isObject(extra) && Object.keys(extra).length > 0;
  if (!says) return `z.looseObject(${shape})`;
  const others = context.emit(extra);
  return shape === "{}" ? `z.record(z.string(), ${others})` : `z.catchall(z.object(${shape}), ${others})`;
}

function emitShape(schema: JsonObject, context: SchemaContext): string {
  const required = new Set(itemsOf(schema.required));
  const described = sortedMembersOf(schema.properties);
  const known = new Set(described.map(([name]) => name));
  const undescribed = [...required].filter((name) => !known.has(String(name)) && !isInherited(String(name)));
  const members = [
    ...described
      .filter(([name]) => !isInherited(name))
      .map(([name, property]) => {
        const code = context.emit(property);
        return `${JSON.stringify(name)}: ${required.has(name) ? code : `z.optional(${code})`}`;
      }),
    ...undescribed.map((name) => `${JSON.stringify(String(name))}: z.unknown()`).sort(),
  ];
  return members.length > 0 ? `{\n${members.map((member) => `  ${indented(member)},`).join("\n")}\n}` : "{}";
}

/** Whether every object has a property of that name, which zod would read where the value has none of its own. */
function isInherited(name: string): boolean {
  return name in Object.prototype;
}

/** Code one step further to the right. No literal spans lines, so that only code moves. */
export function indented(code: string): string {
  return code.replaceAll("\n", "\n  ");
}
