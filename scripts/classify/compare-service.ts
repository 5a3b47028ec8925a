import { canonicalJson, distinct, type JsonObject, membersOf } from "../openapi/json.js";
import type { operationsIn } from "../openapi/operations.js";
import { type Address, baseAddresses } from "../openapi/paths.js";
import {
  additive,
  allOf,
  both,
  breaking,
  type Change,
  compareByName,
  docs,
  it,
  label,
  oneOf,
  type Pair,
  those,
} from "./change.js";

/** What is different about the service as a whole between two documents as they are published. */
export function compareService(documents: Pair<JsonObject>): Change[] {
  const webhooks = both(documents, (document) => document.webhooks);
  return [
    ...compareServers(both(documents, baseAddresses)),
    ...compareCalls(webhooks, `the service has the webhook(s) ${those}`),
  ];
}

/** Where the service is, or one of its operations. */
function compareServers([before, after]: Pair<Map<string, Address[]>>): Change[] {
  const told = [...after].map(([call, is]) => ({
    call,
    found: compareAddresses([before.get(call) ?? [], is]),
  }));
  const isOfAll = distinct(told, ({ found }) => canonicalJson(found)).length === 1;
  const whose = (call: string) => (isOfAll ? "the service's base URL" : `the base URL of ${label(call)}`);
  return (isOfAll ? told.slice(0, 1) : told).flatMap(({ call, found }) =>
    found.map((change) => ({ ...change, words: `${whose(call)} ${change.words}` })),
  );
}

/** An origin that one of the documents does not state may be as it was. */
function compareAddresses([before, after]: Pair<Address[]>): Change[] {
  if (before.length === 0 || after.length === 0) return [];
  const isSame = (one: string, other: string) => one === "" || other === "" || one === other;
  const isIn = (list: Address[], { origin, path }: Address) =>
    list.some((other) => isSame(origin, other.origin) && path === other.path);
  const nameOf = ({ origin, path }: Address) => (origin ? "" : "one that ends in ") + label(origin + path);
  const inWords = (list: Address[]) => oneOf(list.map(nameOf));
  const lost = before.filter((one) => !isIn(after, one));
  const gained = after.filter((one) => !isIn(before, one));
  const [old, current] = both([lost, gained], inWords);
  if (old && current) return [breaking(`is ${current}, no longer ${old}`)];
  if (old) return [breaking(`is no longer ${old}`)];
  return current ? [additive(`may also be ${current}`)] : [];
}

/** What the service calls by itself, of which the SDK knows nothing. */
export function compareCalls(calls: Pair, words: string): Change[] {
  const byName = both(calls, (named) => new Map(membersOf(named)));
  return compareByName(byName, {
    lost: (name) => [docs(words.replace("has", "no longer has"), label(name))],
    gained: (name) => [additive(`${words}, for which there are no types`, label(name))],
  });
}

/** An operation, and the document that it is in. */
export type Operation = ReturnType<typeof operationsIn>[number] & { document: JsonObject };

/** What the client sends its key as. */
const sent = ["a bearer token", "a key in the header `x-api-key`"];

/** Whoever was let in by what it sent must be let in. */
export function compareSecurity(pair: Pair<Operation>): Change[] {
  const [was, is] = both(pair, waysIn);
  if (!is) return was ? [docs(`the document no longer says how ${it} takes the key`)] : [];
  const isIn = (ways: string[][], way: string[]) =>
    ways.some((other) => other.every((one) => way.includes(one)));
  if (!was) return [(isIn(is, sent) ? docs : breaking)(`the document says that ${it} takes ${inWords(is)}`)];
  const lost = was.filter((way) => !isIn(is, way));
  const gained = is.filter((way) => !isIn(was, way));
  if (lost.some((way) => way.length === 0)) return [breaking(`${it} requires ${inWords(is)}`)];
  const others = is.filter((way) => !was.map(allOf).includes(allOf(way)));
  const words = others.length > 0 ? `takes ${inWords(others)}, no longer` : "no longer takes";
  if (lost.length > 0) return [breaking(`${it} ${words} ${inWords(lost)}`)];
  if (gained.some((way) => way.length === 0)) return [additive(`${it} needs no key`)];
  return gained.length > 0 ? [additive(`${it} takes ${inWords(gained)} as well`)] : [];
}

function inWords(ways: string[][]): string {
  return oneOf(distinct(ways.map((way) => (way.length > 0 ? allOf(way) : "no key"))));
}

/** The ways to authenticate, each a list of what is sent, by meaning and not by name; undefined if none is stated. */
function waysIn({ document, operation }: Operation): string[][] | undefined {
  const security = operation.security ?? document.security;
  if (!Array.isArray(security)) return undefined;
  const schemes = Object(Object(document.components).securitySchemes) as Record<string, JsonObject>;
  const ways = security.map((way) => membersOf(way).map(([name]) => schemeIn(name, schemes[name])));
  return ways.length > 0 ? ways : [[]];
}

/** What a security scheme asks for. HTTP's names of headers and schemes are case-insensitive. */
function schemeIn(name: string, scheme: JsonObject | undefined): string {
  const { type, in: place, name: field, scheme: method } = Object(scheme) as JsonObject;
  if (type === "apiKey") {
    return `a key in the ${place} ${label(place === "header" ? String(field).toLowerCase() : String(field))}`;
  }
  if (type !== "http") return otherSchemes[String(type)] ?? label(name);
  const own = String(method).toLowerCase();
  return own === "bearer" ? "a bearer token" : `the HTTP scheme ${label(own)}`;
}

const otherSchemes: Record<string, string> = {
  oauth2: "OAuth2",
  openIdConnect: "OpenID Connect",
  mutualTLS: "a client certificate",
};
