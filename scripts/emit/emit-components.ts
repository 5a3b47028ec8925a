import { byCodePoint, type JsonObject } from "../openapi/json.js";
import { lookUp, referencesIn } from "../openapi/references.js";
import type { Mode } from "./emit-scalar.js";
import { emitSchema, type SchemaContext } from "./emit-schema.js";

/**
 * Constants for the schemas that others refer to, each emitted when it is first needed, once for each mode. They have
 * numbers for names, as the names in the document are not identifiers.
 */
export function emitComponents(document: JsonObject) {
  const names = new Map<string, string>();
  const declared: string[] = [];
  const context = (mode: Mode): SchemaContext => ({
    mode,
    reference(reference) {
      const isRecursive = leadsTo(document, reference, reference);
      const key = `${mode} ${reference}`;
      if (!names.has(key)) {
        const name = `${mode}Component${names.size + 1}`;
        names.set(key, name);
        // TypeScript cannot infer a type that refers to itself.
        const type = isRecursive ? ": Schema<any>" : "";
        const code = emitSchema(lookUp(document, reference), context(mode));
        declared.push(`const ${name}${type} = lazy(() => ${code});\n`);
      }
      const name = names.get(key);
      return isRecursive ? `z.lazy(${name})` : `${name}()`;
    },
  });
  return { context, declarations: () => [...declared].sort(byCodePoint) };
}

/** Whether following the references in the target of `from` leads to `to`. */
function leadsTo(document: JsonObject, from: string, to: string): boolean {
  const reached = new Set([from]);
  for (const reference of reached) {
    const further = referencesIn(lookUp(document, reference));
    if (further.includes(to)) return true;
    for (const one of further) reached.add(one);
  }
  return false;
}
