import { isObject, itemsOf, type JsonObject, membersOf } from "./json.js";
import { resolve } from "./references.js";

export type KnownName = "createApp" | "createScreenshots" | "getJob";

export interface KnownOperation {
  name: KnownName;
  method: "get" | "post";
  path: string;
}

/** The path of a job, with its parameter by the name that callers of the SDK know. */
export const jobPath = "/public/v1/jobs/{id}";

/** The operations that the SDK has methods for, by the names and paths that it gives them. */
export const knownOperations: readonly KnownOperation[] = [
  { name: "createApp", method: "post", path: "/public/v1/apps" },
  { name: "createScreenshots", method: "post", path: "/public/v1/screenshots" },
  { name: "getJob", method: "get", path: jobPath },
];

/** Where the service's base address ends, so that a document may begin its paths with that. */
const basePath = "/api/v1";

/** Each path of the document beside its canonical form, without the prefix that the known paths share. */
export function canonicalPaths(document: JsonObject): Map<string, string> {
  const paths = pathsOf(document);
  const [found] = serverPaths(document).flatMap((server) => {
    const prefix = prefixOf(document, server);
    return prefix === undefined ? [] : [{ server, prefix }];
  });
  const canonical = (path: string) => {
    const full = `${found?.server}${path}`;
    return found && full.startsWith(`${found.prefix}/`) ? full.slice(found.prefix.length) : path;
  };
  return new Map(paths.map((path) => [path, withKnownParameter(canonical(path))]));
}

/** What stands before the known paths, the server's own path included, should that be a place for them. */
function prefixOf(document: JsonObject, server: string): string | undefined {
  const [first] = knownOperations;
  return pathsOf(document)
    .map((path) => `${server}${path}`)
    .filter((path) => path.endsWith(`${first?.path}`))
    .map((path) => path.slice(0, -`${first?.path}`.length))
    .sort((left, right) => left.length - right.length)
    .find((prefix) => isPrefix(prefix, server) && hasEveryKnownOperation(document, server, prefix));
}

/**
 * Whether the service can be there: some of the server's path or all of it, which some documents say once more in
 * each path, or wherever the base address ends as it should.
 */
function isPrefix(prefix: string, server: string): boolean {
  return (
    `${server}/`.startsWith(`${prefix}/`) || prefix === `${server}${server}` || prefix.endsWith(basePath)
  );
}

function hasEveryKnownOperation(document: JsonObject, server: string, prefix: string): boolean {
  return knownOperations.every(({ method, path }) =>
    pathsOf(document).some(
      (key) =>
        withKnownParameter(`${server}${key}`) === `${prefix}${path}` &&
        isObject(resolve(document, (document.paths as JsonObject)[key])[method]),
    ),
  );
}

function pathsOf(document: JsonObject): string[] {
  return membersOf(document.paths).flatMap(([path]) => (path.startsWith("/") ? [path] : []));
}

/** The service may call the job's id as it likes; for callers of the SDK it stays `{id}`. */
function withKnownParameter(path: string): string {
  return path.replace(/\/public\/v1\/jobs\/\{[^/{}]+\}$/, jobPath);
}

/** The paths of the servers, with the defaults of their variables put in, and none should there be no server. */
function serverPaths(document: JsonObject): string[] {
  const servers = itemsOf(document.servers).filter(isObject);
  return [...new Set([...servers.map(serverPath), ""])];
}

function serverPath({ url, variables }: JsonObject): string {
  const filled = String(url ?? "").replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const variable = isObject(variables) ? variables[name] : undefined;
    return isObject(variable) ? String(variable.default) : "";
  });
  const path = filled.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, "").replace(/[?#].*$/, "");
  return path.startsWith("/") ? path.replace(/\/+$/, "") : "";
}
