import { listOperations } from "../emit/emit-operations.js";
import { documentedAnswers, needed } from "../normalise/plain-answers.js";
import { type JsonObject, membersOf } from "../openapi/json.js";
import { typesOf } from "../openapi/keywords.js";
import { type KnownOperation, knownOperations } from "../openapi/known-operations.js";
import { partsOf, propertiesOf, propertyOf } from "../openapi/walk.js";
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
