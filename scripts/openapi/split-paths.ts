import { namesIn } from "./canonical-paths.js";
import { isObject, type JsonObject, membersOf } from "./json.js";
import { knownAt } from "./known-operations.js";
import { targetOf, withUsedSchemas } from "./walk.js";

/** An operation that the SDK does not call, as the document has it. */
export interface FurtherOperation {
  path: string;
  /** The SDK's name for the path. */
  name: string;
  /** The operation's key in its path item. */
  method: string;
  item: JsonObject;
  operation: unknown;
}

/** What a path item holds besides operations. */
const isField = (key: string) => /^(?:\$ref|summary|description|servers|parameters|x-.*)$/.test(key);

/** The document with only the operations that the SDK calls and the schemas that these lead to, and all others. */
export function splitPaths(document: JsonObject) {
  const further: FurtherOperation[] = [];
  if (!isObject(document.paths)) return { own: document, further };
  const nameOf = namesIn(document);
  const paths: JsonObject = {};
  for (const [path, written] of membersOf(document.paths)) {
    if (path.startsWith("x-")) continue;
    const name = nameOf(path);
    const isOwn = (key: string) => knownAt(key, name) !== undefined;
    const target = targetOf(document, written);
    // What is no path item holds no operation that could be called.
    const { additionalOperations, ...item } = isObject(target) ? target : { "any method": target };
    for (const [method, operation] of [...membersOf(item), ...membersOf(additionalOperations)]) {
      if (!isField(method) && !isOwn(method)) further.push({ path, name, method, item, operation });
    }
    const kept = membersOf(item).filter(([key]) => isField(key) || isOwn(key));
    if (kept.some(([key]) => isOwn(key))) paths[path] = Object.fromEntries(kept);
  }
  return { own: withUsedSchemas({ ...document, paths }), further };
}
