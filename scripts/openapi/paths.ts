import { quoted, Refusal } from "../refusal.js";
import { distinct, isObject, itemsOf, type JsonObject, mapObject, membersOf } from "./json.js";
import { jobPath, knownAt, knownOperations } from "./known-operations.js";
import { methods, operationsOf, withOwnParameters } from "./operations.js";
import { targetOf, withUsedSchemas } from "./walk.js";

/** Set on an operation whose path is sent in another form than the SDK's callers know: the path that is sent. */
export const sentPath = "x-sent-path";

/** How the service's addresses are known to end, for a document that states none. */
export const specifiedPath = "/api/v1";

/** A copy with the paths that the SDK knows, without their prefix. Equal ones share their operations. */
export function withCanonicalPaths(document: JsonObject): JsonObject {
  const items = membersOf(document.paths).filter(([path]) => path.startsWith("/"));
  const nameOf = namesIn(document);
  const paths: Record<string, JsonObject> = {};
  for (const [path, item] of items) {
    const name = nameOf(path);
    const isOther = path.endsWith("/") && !name.endsWith("/");
    const asSent = mapObject(item, (member, key) =>
      isOther && methods.includes(key) ? { ...Object(member), [sentPath]: `${name}/` } : member,
    );
    const [twice] = operationsOf(paths[name]).filter(([method]) => method in asSent);
    if (twice) {
      const label = `${twice[0].toUpperCase()} ${name}`;
      throw new Refusal("duplicate-path", `it has ${label} twice, the second time as ${quoted(path)}`);
    }
    paths[name] = paths[name] ? { ...ownOf(asSent), ...ownOf(paths[name]) } : asSent;
  }
  return { ...document, paths };
}

const ownOf = (pathItem: unknown) => withOwnParameters(pathItem, (parameters) => parameters);

/** The name that the SDK has for each path of the document. */
export function namesIn(document: JsonObject): (path: string) => string {
  for (const server of serverPaths(document)) {
    const prefix = prefixOf(document, server);
    if (prefix === undefined) continue;
    const canonical = (name: string) => name.startsWith(`${prefix}/`) && name.slice(prefix.length);
    return (path) => canonical(withKnownForm(server + path)) || withKnownForm(path);
  }
  return withKnownForm;
}

/** The shortest prefix, including the server's path, below which every known operation is that the document has. */
function prefixOf(document: JsonObject, server: string): string | undefined {
  const items = new Map(
    membersOf(document.paths).map(([path, item]) => [withKnownForm(server + path), targetOf(document, item)]),
  );
  const has = (path: string, method: string) => isObject(Object(items.get(path))[method]);
  const paths = [...items.keys()];
  const present = knownOperations.filter(({ method, path }) =>
    paths.some((one) => one.endsWith(path) && has(one, method)),
  );
  return paths
    .filter((path) => path.endsWith(jobPath))
    .map((path) => path.slice(0, -jobPath.length))
    .sort((left, right) => left.length - right.length)
    .filter((prefix) => isPlausible(prefix, server))
    .find((prefix) => present.every(({ method, path }) => has(`${prefix}${path}`, method)));
}

/** Whether a prefix is the server's path, a part of it or twice that, or ends as the service's address does. */
function isPlausible(prefix: string, server: string): boolean {
  const isOfServer = `${server}/`.startsWith(`${prefix}/`) || prefix === `${server}${server}`;
  return isOfServer || prefix.endsWith(specifiedPath);
}

/** The paths of the known operations, with any names of their parameters, and with or without a slash at the end. */
const knownForms = knownOperations.map(({ path }) => {
  return { path, form: new RegExp(`${path.replace(/\{[^{}]+\}/g, "\\{[^/{}]+\\}")}/?$`) };
});

/** Documents may name an id in any way, and end a path in a slash; callers of the SDK know one form. */
function withKnownForm(path: string): string {
  const known = knownForms.find(({ form }) => form.test(path));
  return known ? path.replace(known.form, () => known.path) : path;
}

/** The paths of the servers, without what variables stand for, and an empty path. */
function serverPaths(document: JsonObject): string[] {
  const urls = itemsOf(document.servers).map((server) => String(Object(server).url ?? ""));
  return distinct([...urls.map((url) => partsOfUrl(url).path), ""]);
}

/** The origin of a URL, which is empty for a relative one, and its path without a slash at the end. */
function partsOfUrl(url: string): { origin: string; path: string } {
  const [origin = ""] = /^[^/]*(?:\/\/[^/?#]*)?/.exec(url) ?? [];
  const [path = ""] = url.slice(origin.length).split(/[?#]/);
  return { origin, path: path.replace(/(?<!\/)\/+$/, "") };
}

/**
 * The base addresses of each operation that the SDK calls, by how it is called. Its own servers, or else those of its path,
 * take the place of the document's.
 */
export function baseAddresses(document: JsonObject): Map<string, Address[]> {
  const nameOf = namesIn(document);
  return new Map(
    membersOf(document.paths).flatMap(([path, reference]) => {
      const item = Object(targetOf(document, reference)) as JsonObject;
      return operationsOf(item).flatMap(([method, operation]) => {
        const known = knownAt(method, nameOf(path));
        const servers = operation.servers ?? item.servers ?? document.servers;
        return known ? [[known.call, addressesOf(document, servers)] as const] : [];
      });
    }),
  );
}

/** Where the service is. */
export interface Address {
  /** Empty if it is not stated: by a relative URL, by a variable, or for a developer's own machine. */
  origin: string;
  /** The path with the prefix of the known paths. */
  path: string;
}

function addressesOf(document: JsonObject, servers: unknown): Address[] {
  const addresses = itemsOf(servers).map((server) => {
    const { url, variables } = Object(server) as JsonObject;
    const template = String(url ?? "");
    const filled = template.replace(
      /\{([^{}]+)\}/g,
      (_, name) => `${Object(Object(variables)[name]).default ?? ""}`,
    );
    const { origin, path } = partsOfUrl(filled);
    const prefix = prefixOf(document, path) ?? path;
    const isStated = !template.startsWith("{") && !/:\/\/(?:localhost|127\.|\[::1\])/.test(origin);
    return { origin: isStated ? origin.toLowerCase() : "", path: prefix === path + path ? path : prefix };
  });
  const stated = addresses.filter(({ origin, path }) => origin + path !== "");
  return distinct(stated, ({ origin, path }) => origin + path);
}

/** The path of the service's base address by a document as it is published. */
export const basePathOf = (document: JsonObject): string =>
  [...baseAddresses(document).values()].flat()[0]?.path ?? specifiedPath;

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
