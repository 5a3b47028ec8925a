import { isDeepStrictEqual } from "node:util";
import { statedPrice } from "../emit/price.js";
import { normalise } from "../normalise/normalise.js";
import { withOptionalDefaults } from "../normalise/split-directions.js";
import type { JsonObject } from "../openapi/json.js";
import { both, breaking, bySeverity, type Change, type Level, type Pair } from "./change.js";
import { compareDocuments } from "./compare-documents.js";

/** How two documents differ. */
export interface Classification {
  level: Level;
  /** The changes that users may notice, each said once, the most severe first. */
  changes: Change[];
}

/**
 * Rates the change from the released document to another by what it means for the SDK's users. Both are compared in the
 * form from which the types are generated.
 */
export function classify(released: JsonObject, document: JsonObject): Classification {
  if (isDeepStrictEqual(released, document)) return { level: "none", changes: [] };
  const pair = both([released, document], (one) => withOptionalDefaults(normalise(one)));
  const found = [...compareDocuments(pair), ...comparePrice(pair)];
  found.sort((one, other) => bySeverity(one.level, other.level));
  // Of equal sentences, the most severe stays, as it comes last here.
  const changes = [...new Map(found.map((change) => [change.words, change])).values()];
  changes.sort((one, other) => bySeverity(other.level, one.level));
  // The package contains the document, so a change in its prose or form must also be released.
  return { level: changes[0]?.level ?? "docs", changes };
}

/** The change of what a set costs, on which users' budgets and tests rest, wherever the document states it. */
function comparePrice(documents: Pair<JsonObject>): Change[] {
  const [was, is] = both(documents, statedPrice);
  if (was === undefined || is === undefined || was === is) return [];
  return [breaking(`a set costs ${is} credits, no longer ${was}`)];
}
