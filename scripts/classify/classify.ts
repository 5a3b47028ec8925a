import { isDeepStrictEqual } from "node:util";
import { priceOf, severalPrices } from "../emit/price.js";
import { normalise } from "../normalise/normalise.js";
import { withOptionalDefaults } from "../normalise/split-directions.js";
import type { JsonObject } from "../openapi/json.js";
import { operationsIn } from "../openapi/operations.js";
import {
  allOf,
  both,
  breaking,
  type Change,
  docs,
  type Level,
  label,
  type Pair,
  toldOnce,
} from "./change.js";
import { callOf, compareDocuments } from "./compare-documents.js";
import { compareService } from "./compare-service.js";

/** How two documents differ. */
export interface Classification {
  level: Level;
  /** The changes that users may notice, each said once, the most severe first. */
  changes: Change[];
}

/**
 * Rates the change between documents for the SDK's users. `newMethods`: operations that have got a method since.
 * `valuesBefore`: the generated module of an earlier document, for a price that is not stated.
 */
export function classify(
  released: JsonObject,
  document: JsonObject,
  newMethods: readonly string[] = [],
  valuesBefore?: string,
): Classification {
  const isSame = isDeepStrictEqual(released, document);
  if (isSame && newMethods.length === 0) return { level: "none", changes: [] };
  const pair = both([released, document], (one) => withOptionalDefaults(normalise(one), []));
  const price = comparePrice(pair, valuesBefore);
  // The price itself says what values its field has.
  const isTold =
    pair.every((one) => priceOf(one).isStated) || price.some(({ level }) => level === "breaking");
  const others = compareDocuments(pair, newMethods).filter(({ isPrice }) => !isPrice || !isTold);
  const found = [...compareService([released, document]), ...others, ...price];
  const changes = toldOnce(found, operationsIn(pair[1]).map(callOf));
  // The package contains the document, so a change in its prose or form must also be released.
  return { level: changes[0]?.level ?? "docs", changes };
}

/** The change of what a set costs, on which users' budgets and tests rest, wherever the document states it. */
function comparePrice(documents: Pair<JsonObject>, valuesBefore?: string): Change[] {
  const [was, is] = both(documents, (one) => priceOf(one, valuesBefore));
  const several = compareSeveralPrices(documents);
  const isOnly = was.isStated && is.isStated && severalPrices(documents[1]) === undefined;
  const words = isOnly ? `a set costs ${is.price} credits` : `\`setCost\` is ${is.price}`;
  const isLost = was.isStated && !is.isStated && several.length === 0;
  return [
    ...(was.price === is.price ? [] : [breaking(`${words}, no longer ${was.price}`)]),
    ...(isLost ? [unread(is.price)] : []),
    ...several,
  ];
}

/** The change to a document that states no price. The SDK goes on with the one that it knows. */
function unread(price: number): Change {
  const what = "no single price of a set can be read from the document";
  return {
    ...docs(`${what} any more: \`setCost\` takes it to be ${price} credits`),
    todo: `${what}: \`setCost\`, README.md and the mock keep ${price}`,
  };
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
