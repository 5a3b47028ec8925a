import { isObject, type JsonObject, membersOf } from "./json.js";
import { lookUp, resolve } from "./references.js";

export type KnownName = "createApp" | "createScreenshots" | "getJob";

export interface KnownOperation {
  name: KnownName;
  method: "get" | "post";
  path: string;
}

/** The operations that the SDK has methods for, by the names and paths that it gives them. */
export const knownOperations: readonly KnownOperation[] = [
  { name: "createApp", method: "post", path: "/public/v1/apps" },
  { name: "createScreenshots", method: "post", path: "/public/v1/screenshots" },
  { name: "getJob", method: "get", path: "/public/v1/jobs/{id}" },
];

/** Each path of the document beside its canonical form, without the prefix that the known paths share. */
export function canonicalPaths(document: JsonObject): Map<string, string> {
  const paths = membersOf(document.paths).map(([path]) => path);
  const server = serverPath(document);
  const prefix = paths
    .map((path) => `${server}${path}`)
    .filter((path) => path.endsWith("/public/v1/apps"))
    .map((path) => path.slice(0, -"/public/v1/apps".length))
    .sort((left, right) => left.length - right.length)
    .find((candidate) => hasEveryKnownOperation(document, server, candidate));
  const canonical = new Map<string, string>();
  for (const path of paths) {
    const full = `${server}${path}`;
    const isBelow = prefix !== undefined && full.startsWith(`${prefix}/`);
    canonical.set(path, withKnownParameter(isBelow ? full.slice(prefix.length) : path));
  }
  return canonical;
}

function hasEveryKnownOperation(document: JsonObject, server: string, prefix: string): boolean {
  return knownOperations.every(({ method, path }) =>
    membersOf(document.paths).some(
      ([key, item]) =>
        withKnownParameter(`${server}${key}`) === `${prefix}${path}` &&
        isObject(resolve(document, item)[method]),
    ),
  );
}

/** The service may call the job's id as it likes; for callers of the SDK it stays `{id}`. */
function withKnownParameter(path: string): string {
  return path.replace(/\/public\/v1\/jobs\/\{[^/{}]+\}$/, "/public/v1/jobs/{id}");
}

/** The path of the first server, with the defaults of its variables put in. */
function serverPath(document: JsonObject): string {
  const server = lookUp(document, "#/servers/0");
  if (!isObject(server) || typeof server.url !== "string") {
    return "";
  }
  const url = server.url.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const variable = isObject(server.variables) ? server.variables[name] : undefined;
    return isObject(variable) ? String(variable.default) : "";
  });
  const path = url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, "").replace(/[?#].*$/, "");
  return path.startsWith("/") ? path.replace(/\/+$/, "") : "";
}
