import { distinct, isObject, itemsOf, type JsonObject, membersOf } from "./json.js";
import { resolve } from "./walk.js";

/** The names of the operations that the SDK has methods for. */
export type KnownName = "createApp" | "createScreenshots" | "getJob";

/** An operation that the SDK has a method for. */
export interface KnownOperation {
  name: KnownName;
  method: "get" | "post";
  path: string;
}

/** The path of a job, with the name that callers of the SDK know for its parameter. */
export const jobPath = "/public/v1/jobs/{id}";

/** The operations that the SDK has methods for, with the SDK's names and paths for them. */
export const knownOperations: readonly [KnownOperation, ...KnownOperation[]] = [
  { name: "createApp", method: "post", path: "/public/v1/apps" },
  { name: "createScreenshots", method: "post", path: "/public/v1/screenshots" },
  { name: "getJob", method: "get", path: jobPath },
];

/** Each path of the document with its canonical form, which lacks the prefix that the known paths share. */
export function canonicalPaths(document: JsonObject): Map<string, string> {
  const paths = membersOf(document.paths).flatMap(([path]) => (path.startsWith("/") ? [path] : []));
  for (const server of serverPaths(document)) {
    const full = new Map(paths.map((path) => [path, withKnownParameter(`${server}${path}`)]));
    const prefix = prefixOf(document, server, full);
    if (prefix === undefined) continue;
    const canonical = (whole: string) => whole.startsWith(`${prefix}/`) && whole.slice(prefix.length);
    return new Map([...full].map(([path, whole]) => [path, canonical(whole) || withKnownParameter(path)]));
  }
  return new Map(paths.map((path) => [path, withKnownParameter(path)]));
}

/** The shortest prefix, including the server's path, below which every known operation exists. */
function prefixOf(document: JsonObject, server: string, full: Map<string, string>): string | undefined {
  const paths = document.paths as JsonObject;
  const has = (wanted: string, method: string) =>
    [...full].some(([path, whole]) => whole === wanted && isObject(resolve(document, paths[path])[method]));
  return [...full.values()]
    .flatMap((whole) => (whole.endsWith(jobPath) ? [whole.slice(0, -jobPath.length)] : []))
    .sort((left, right) => left.length - right.length)
    .filter((prefix) => isPlausible(prefix, server))
    .find((prefix) => knownOperations.every(({ method, path }) => has(`${prefix}${path}`, method)));
}

/**
 * Whether a prefix is plausible: it is the server's path or a part of it, the server's path twice, as some documents
 * repeat it in each path, or it ends like the service's base address.
 */
function isPlausible(prefix: string, server: string): boolean {
  const isOfServer = `${server}/`.startsWith(`${prefix}/`) || prefix === `${server}${server}`;
  return isOfServer || prefix.endsWith("/api/v1");
}

/** Documents may name the job's id as they like; for callers of the SDK it stays `{id}`. */
function withKnownParameter(path: string): string {
  return path.replace(/\/public\/v1\/jobs\/\{[^/{}]+\}$/, jobPath);
}

/** The paths of the servers, with the defaults of their variables filled in, and an empty path. */
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
