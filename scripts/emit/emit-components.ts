import { byCodePoint, isObject, type JsonObject } from "../openapi/json.js";
import { lookUp } from "../openapi/references.js";
import { emitSchema } from "./emit-schema.js";
import type { Mode, SchemaContext } from "./schema-context.js";

/**
 * Constants for the schemas that others refer to, made as they are asked for: one for each mode, named by
 * number, as the names in the document are not identifiers.
 */
export function emitComponents(document: JsonObject): {
  context(mode: Mode): SchemaContext;
  declarations(): string[];
} {
  const names = new Map<string, string>();
  const declared: string[] = [];
  const context = (mode: Mode): SchemaContext => ({
    mode,
    emit: (schema) => emitSchema(schema, context(mode)),
    reference(reference) {
      const isRecursive = reaches(document, reference, reference);
      const key = `${mode} ${reference}`;
      if (!names.has(key)) {
        const name = `${mode}Component${names.size + 1}`;
        names.set(key, name);
        // TypeScript cannot infer a type that refers to itself.
        const type = isRecursive ? ": Schema<any>" : "";
        const code = context(mode).emit(lookUp(document, reference));
        declared.push(`const ${name}${type} = lazy(() => ${code});\n`);
      }
      const name = names.get(key);
      return isRecursive ? `z.lazy(${name})` : `${name}()`;
    },
  });
  return { context, declarations: () => [...declared].sort(byCodePoint) };
}

/** Whether following references from `from` leads to `to`. */
function reaches(document: JsonObject, from: string, to: string): boolean {
  const seen = new Set<string>();
  const search = (value: unknown): boolean => {
    if (Array.isArray(value)) return value.some(search);
    if (!isObject(value)) return false;
    return Object.entries(value).some(([key, member]) => {
      if (key !== "$ref" || typeof member !== "string") return search(member);
      if (member === to) return true;
      if (seen.has(member)) return false;
      seen.add(member);
      return search(lookUp(document, member));
    });
  };
  return search(lookUp(document, from));
}
