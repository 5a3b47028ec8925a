import { listOperations } from "../emit/emit-operations.js";
import { documentedAnswers, needed } from "../normalise/plain-answers.js";
import { escaped, type JsonObject, membersOf } from "../openapi/json.js";
import { typesOf } from "../openapi/keywords.js";
import { type KnownOperation, knownOperations } from "../openapi/known-operations.js";
import { expressionOf } from "../openapi/patterns.js";
import {
  lookUp,
  type Place,
  partsOf,
  propertiesOf,
  propertyOf,
  reachedFrom,
  visitValues,
} from "../openapi/walk.js";
import { quoted } from "../refusal.js";

/**
 * A field of the documented answers that the SDK needs, but that a normalised document lacks or gives another type, in
 * words; undefined if there is none.
 */
export function faultOf(document: JsonObject): string | undefined {
  const [fault] = listOperations(document)
    .slice(0, knownOperations.length)
    .flatMap(({ name, answers }) => {
      const { fields } = documentedAnswers[name as KnownOperation["name"]];
      return faultsIn(document, answers[0], fields, "").map((fault) => `the answer of ${name} ${fault}`);
    });
  return fault;
}

/** The places of patterns in the SDK's own bodies that are not surely JavaScript's, so that the service alone checks them. */
export function uncheckedPatterns(document: JsonObject): string[] {
  const places: string[] = [];
  for (const { path, method, body } of listOperations(document).slice(0, knownOperations.length)) {
    const look = (value: unknown, { kind, pointer }: Place) => {
      const { pattern } = kind === "schema" ? Object(value) : {};
      if (typeof pattern === "string" && !expressionOf(pattern)) places.push(`${pointer}/pattern`);
    };
    const pointer = `#/paths/${escaped(path)}/${method.toLowerCase()}/requestBody`;
    visitValues(body, { kind: "schema", pointer }, look);
    for (const reference of reachedFrom(document, body)) {
      visitValues(lookUp(document, reference), { kind: "schema", pointer: reference }, look);
    }
  }
  return places;
}

function faultsIn(document: JsonObject, schema: unknown, documented: JsonObject, path: string): string[] {
  return membersOf(documented.properties).flatMap(([name, field]) => {
    if (!needed.includes(name)) return [];
    const where = `${path}${name}`;
    const property = propertyOf(document, schema, name);
    if (property === undefined) {
      const properties = propertiesOf(document, schema);
      const wrapper = properties.find(([, other]) => propertyOf(document, other, name) !== undefined);
      return [`leaves out \`${where}\`${wrapper ? `, or wraps it in ${quoted(wrapper[0])}` : ""}`];
    }
    const { type } = field as JsonObject;
    const others = partsOf(document, property).flatMap((part) =>
      typesOf(part).filter((one) => one !== type && one !== "null"),
    );
    if (others.length > 0) return [`has \`${where}\` as ${others.join(" or ")}, not as ${type}`];
    return faultsIn(document, property, field as JsonObject, `${where}.`);
  });
}
