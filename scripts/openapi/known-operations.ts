import { Refusal } from "../refusal.js";
import { distinct, isObject, itemsOf, type JsonObject, membersOf } from "./json.js";

/** The path of a job, with the parameter name that callers of the SDK know. */
export const jobPath = "/public/v1/jobs/{id}";

/** The operations with SDK methods, with the SDK's names and paths for them. */
export const knownOperations = [
  { name: "createApp", method: "post", path: "/public/v1/apps" },
  { name: "createScreenshots", method: "post", path: "/public/v1/screenshots" },
  { name: "getJob", method: "get", path: jobPath },
] as const;

/** An operation with an SDK method. */
export type KnownOperation = (typeof knownOperations)[number];

/**
 * A copy of the document with the paths that the SDK knows, without the prefix that the known ones share. No path item
 * may be a reference.
 */
export function withCanonicalPaths(document: JsonObject): JsonObject {
  const items = membersOf(document.paths).filter(([path]) => path.startsWith("/"));
  const nameOf = namesOf(document, items);
  const paths = new Map(items.map(([path, item]) => [nameOf(path), item]));
  if (paths.size < items.length) throw new Refusal("duplicate-path", "two of its paths are the same one");
  return { ...document, paths: Object.fromEntries(paths) };
}

function namesOf(document: JsonObject, items: [string, unknown][]): (path: string) => string {
  for (const server of serverPaths(document)) {
    const fullName = (path: string) => withKnownParameter(`${server}${path}`);
    const full = new Map(items.map(([path, item]) => [fullName(path), item]));
    const prefix = prefixOf(server, full);
    if (prefix === undefined) continue;
    const canonical = (name: string) => name.startsWith(`${prefix}/`) && name.slice(prefix.length);
    return (path) => canonical(fullName(path)) || withKnownParameter(path);
  }
  return withKnownParameter;
}

/** The shortest prefix, including the server's path, below which every known operation exists. */
function prefixOf(server: string, items: Map<string, unknown>): string | undefined {
  return [...items.keys()]
    .filter((path) => path.endsWith(jobPath))
    .map((path) => path.slice(0, -jobPath.length))
    .sort((left, right) => left.length - right.length)
    .filter((prefix) => isPlausible(prefix, server))
    .find((prefix) =>
      knownOperations.every(({ method, path }) => isObject(Object(items.get(`${prefix}${path}`))[method])),
    );
}

/**
 * Whether a prefix is plausible: it is the server's path or a part of it; it is the server's path twice, because some
 * documents repeat it in each path; or it ends like the service's base address.
 */
function isPlausible(prefix: string, server: string): boolean {
  const isOfServer = `${server}/`.startsWith(`${prefix}/`) || prefix === `${server}${server}`;
  return isOfServer || prefix.endsWith("/api/v1");
}

/** Documents may give the job's id any name; for callers of the SDK it stays `{id}`. */
function withKnownParameter(path: string): string {
  return path.replace(/\/public\/v1\/jobs\/\{[^/{}]+\}$/, jobPath);
}

/** The paths of the servers, with the defaults of their variables inserted, and an empty path. */
function serverPaths(document: JsonObject): string[] {
  const servers = itemsOf(document.servers).filter(isObject);
  const paths = servers.map(({ url = "", variables }) => {
    const values = new Map(membersOf(variables));
    const filled = String(url).replace(/\{([^{}]+)\}/g, (_, name) => {
      const variable = values.get(name);
      return isObject(variable) ? String(variable.default) : "";
    });
    const path = filled.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, "").replace(/[?#].*$/, "");
    return path.startsWith("/") ? path.replace(/\/+$/, "") : "";
  });
  return distinct([...paths, ""]);
}
