import { isDeepStrictEqual } from "node:util";
import { severalPrices, statedPrice } from "../emit/price.js";
import { normalise } from "../normalise/normalise.js";
import { withOptionalDefaults } from "../normalise/split-directions.js";
import type { JsonObject } from "../openapi/json.js";
import { operationsIn } from "../openapi/operations.js";
import { allOf, both, breaking, type Change, type Level, label, type Pair, toldOnce } from "./change.js";
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
  const isStated = pair.every((one) => statedPrice(one) !== undefined);
  // The price itself says what values its field has.
  const others = compareDocuments(pair, newMethods).filter(
    ({ isPrice }) => !isPrice || !(isStated || price.length > 0),
  );
  const found = [...compareService([released, document]), ...others, ...price];
  const changes = toldOnce(found, operationsIn(pair[1]).map(callOf));
  // The package contains the document, so a change in its prose or form must also be released.
  return { level: changes[0]?.level ?? "docs", changes };
}

/** The change of what a set costs, on which users' budgets and tests rest, wherever the document states it. */
function comparePrice(documents: Pair<JsonObject>): Change[] {
  const [was, is] = both(documents, statedPrice);
  const isOther = was !== undefined && is !== undefined && was !== is;
  return [
    ...(isOther ? [breaking(`a set costs ${is} credits, no longer ${was}`)] : []),
    ...compareSeveralPrices(documents),
  ];
}

/** The change of a price that is not one number, of which the SDK knows only one. */
function compareSeveralPrices(documents: Pair<JsonObject>): Change[] {
  const pair = both(documents, severalPrices);
  const [, is] = pair;
  if (is === undefined || isDeepStrictEqual(...pair)) return [];
  const what = is.isByDevice ? "by device" : "with several numbers";
  const words = `the document tells the price of a set ${what} (${allOf(is.numbers.map(label))}): \`setCost\` is one price, and each acceptance says what it did cost`;
  const todo = `the price of a set is told ${what} (${allOf(is.numbers.map(label))}): \`setCost\`, README.md and the mock keep one price, a budget counts the highest`;
  return [{ ...breaking(words), todo }];
}
