import { isDeepStrictEqual } from "node:util";
import { statedPrice } from "../emit/emit-values.js";
import { normalise } from "../normalise/normalise.js";
import { withOptionalDefaults } from "../normalise/split-directions.js";
import type { JsonObject } from "../openapi/json.js";
import { operationsIn } from "../openapi/operations.js";
import { both, breaking, type Change, type Level, type Pair, toldOnce } from "./change.js";
import { callOf, compareDocuments } from "./compare-documents.js";
import { compareService } from "./compare-service.js";

/** How two documents differ. */
export interface Classification {
  level: Level;
  /** The changes that users may notice, each said once, the most severe first. */
  changes: Change[];
}

/** Rates the change between documents for the SDK's users. `newMethods`: operations that have got a method since. */
export function classify(
  released: JsonObject,
  document: JsonObject,
  newMethods: readonly string[] = [],
): Classification {
  const isSame = isDeepStrictEqual(released, document);
  if (isSame && newMethods.length === 0) return { level: "none", changes: [] };
  const pair = both([released, document], (one) => withOptionalDefaults(normalise(one), []));
  const price = comparePrice(pair);
  const others = compareDocuments(pair, newMethods).filter(
    ({ words }) => price.length === 0 || !priceInField.test(words),
  );
  const found = [...compareService([released, document]), ...others, ...price];
  const changes = toldOnce(found, operationsIn(pair[1]).map(callOf));
  // The package contains the document, so a change in its prose or form must also be released.
  return { level: changes[0]?.level ?? "docs", changes };
}

/** Says of the field that tells the price, as the price itself does, that it has another value. */
const priceInField = /^`credits\.cost` of the answer of .* (?:is always|is never|may also be) `\d/;

/** The change of what a set costs, on which users' budgets and tests rest, wherever the document states it. */
function comparePrice(documents: Pair<JsonObject>): Change[] {
  const [was, is] = both(documents, statedPrice);
  if (was === undefined || is === undefined || was === is) return [];
  return [breaking(`a set costs ${is} credits, no longer ${was}`)];
}
