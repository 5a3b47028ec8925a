import { type JsonObject, membersOf } from "../openapi/json.js";
import { typesOf } from "../openapi/keywords.js";
import { neverNull } from "../openapi/known-operations.js";
import { answerSchemas, knownIn } from "../openapi/operations.js";
import { partsOf, propertyOf } from "../openapi/walk.js";
import { Refusal } from "../refusal.js";

/**
 * Checks the answers of the SDK's operations in a normalised document.
 *
 * @throws Refusal when one lacks a field that the SDK works with, or gives it another type
 */
export function vetAnswers(document: JsonObject): void {
  for (const { known, operation } of knownIn(document)) {
    const [fault] = faultsIn(document, answerSchemas(operation)[0], known.answer.fields ?? {}, "");
    if (fault !== undefined) throw new Refusal("does-not-compile", `the answer of ${known.name} ${fault}`);
  }
}

function faultsIn(document: JsonObject, schema: unknown, documented: JsonObject, path: string): string[] {
  return membersOf(documented.properties).flatMap(([name, field]) => {
    if (!neverNull.includes(name)) return [];
    const where = `${path}${name}`;
    const property = propertyOf(document, schema, name);
    if (property === undefined) return [`leaves out \`${where}\``];
    const { type } = field as JsonObject;
    const others = partsOf(document, property).flatMap((part) =>
      typesOf(part).filter((one) => one !== type && one !== "null"),
    );
    if (others.length > 0) return [`has \`${where}\` as ${others.join(" or ")}, not as ${type}`];
    return faultsIn(document, property, field as JsonObject, `${where}.`);
  });
}
