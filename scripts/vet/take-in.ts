import { isObject, type JsonObject, mapObject, membersOf } from "../openapi/json.js";
import { operationsOf, parametersOf } from "../openapi/operations.js";
import { type FurtherOperation, splitPaths } from "../openapi/paths.js";
import { mapMembers, type Place, root, targetOf } from "../openapi/walk.js";
import { quoted, Refusal } from "../refusal.js";
import { faultyPlaces, vetValue } from "./vet-document.js";

/** Called with each part of a document that no types can be made of, and the reason. */
export type LeaveOut = (part: string, reason: string) => void;

/** A copy without what types cannot be made of: a part of a further operation, or else the operation. */
export function withFurtherOperations(document: JsonObject, leaveOut: LeaveOut): JsonObject {
  const { own, further } = splitPaths(document);
  const paths = { ...(own.paths as Record<string, JsonObject>) };
  const taken = new Set<string>();
  for (const one of further) {
    const label = `${one.method.toUpperCase()} ${one.path}`;
    const place = `${one.method} ${one.name}`;
    const operation = taken.has(place) ? undefined : takenIn(document, one, label, leaveOut);
    if (taken.has(place)) leaveOut(label, "the document has it twice");
    if (!operation) continue;
    taken.add(place);
    paths[one.path] = { ...paths[one.path], [one.method]: operation };
  }
  for (const [name] of membersOf(document.webhooks)) leaveOut(`webhook ${name}`, uncalledReason);
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, { callbacks }] of operationsOf(item)) {
      const label = `${method.toUpperCase()} ${path}`;
      for (const [name] of membersOf(callbacks)) leaveOut(`${label} callbacks ${name}`, uncalledReason);
    }
  }
  const { webhooks: _, ...others } = document;
  return { ...others, paths };
}

const uncalledReason = "the service calls it, and not the SDK";

function takenIn(
  document: JsonObject,
  { path, method, item, operation }: FurtherOperation,
  label: string,
  leaveOut: LeaveOut,
): JsonObject | undefined {
  const whole = { operation: inPlace(document, item, operation) };
  for (const place of faultyPlaces(path, method, whole.operation)) {
    // An item of a list goes as a whole, and leaves a gap for now.
    const last = place.findLastIndex((key) => typeof key === "number");
    const cut = ["operation", ...(last < 0 ? place : place.slice(0, last + 1))];
    const parent = cut.slice(0, -1).reduce<unknown>((value, key) => Object(value)[key], whole);
    // It is cut already, with another of its faults.
    if (!Object.hasOwn(Object(parent), cut.at(-1) as PropertyKey)) continue;
    delete Object(parent)[cut.at(-1) as PropertyKey];
    leaveOut([label, ...place.map(String)].join(" "), "no types can be made of it");
  }
  if (!isObject(whole.operation)) return undefined;
  const parameters = parametersOf({}, whole.operation);
  // Such as the `id` of a path with `{id:int}`: the client could not put it into the path.
  const lost = parameters.find(({ in: place, name }) => place === "path" && !path.includes(`{${name}}`));
  if (lost) return void leaveOut(label, `its parameter ${quoted(`${lost.name}`)} is not in its path`);
  return { ...whole.operation, parameters };
}

/** A copy of an operation in which only schemas are references. It has the parameters of its path too. */
function inPlace(document: JsonObject, item: JsonObject, written: unknown): unknown {
  const at = (value: unknown, change: (found: JsonObject) => unknown) => {
    const target = targetOf(document, value);
    return isObject(target) ? change(target) : target;
  };
  const each = (value: unknown, change: (found: JsonObject) => unknown) =>
    isObject(value) ? mapObject(value, (member) => at(member, change)) : value;
  const parameter = (found: JsonObject) =>
    found.content === undefined ? found : { ...found, content: each(found.content, (media) => media) };
  const message = ({ headers, ...found }: JsonObject) => ({
    ...parameter(found),
    ...(headers !== undefined && { headers: each(headers, parameter) }),
  });
  const listed = (value: unknown) => (Array.isArray(value) ? value.map((one) => at(one, parameter)) : value);
  return at(written, ({ requestBody, ...found }) => {
    const [own, shared] = [listed(found.parameters ?? []), listed(item.parameters ?? [])];
    const parameters = Array.isArray(own) && Array.isArray(shared) ? [...own, ...shared] : own;
    const responses = each(found.responses, message);
    const body = requestBody !== undefined && { requestBody: at(requestBody, message) };
    return { ...found, parameters, ...body, responses };
  });
}

/** A copy of the document in which a schema that no types can be made of says nothing. */
export function withSoundSchemas(document: JsonObject, leaveOut: LeaveOut): JsonObject {
  const copy = (value: unknown, place: Place): unknown => {
    try {
      vetValue(document, value, place);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      leaveOut(place.pointer, error.reason);
      return {};
    }
    return mapMembers(value, place, copy);
  };
  return copy(document, root) as JsonObject;
}
