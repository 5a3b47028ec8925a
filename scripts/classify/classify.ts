import { isDeepStrictEqual } from "node:util";
import { normalise } from "../normalise/normalise.js";
import type { JsonObject } from "../openapi/json.js";
import { bySeverity, type Change, type Level } from "./change.js";
import { comparable } from "./comparable.js";
import { diffDocuments } from "./diff-documents.js";
import { diffTypes } from "./diff-types.js";

/** How two documents differ. */
export interface Classification {
  level: Level;
  /** The changes that were found, the most severe first. */
  changes: Change[];
}

/**
 * Rates the change from the released document to another by what it means for the SDK's users. Both are compared in
 * normal form, as the SDK sees them, in two ways: Redocly's diff of documents knows constraints, and the compiler knows
 * types. The more severe rating counts.
 */
export async function classify(released: JsonObject, document: JsonObject): Promise<Classification> {
  if (isDeepStrictEqual(released, document)) return { level: "none", changes: [] };
  const before = comparable(normalise(released));
  const after = comparable(normalise(document));
  // The package contains the document, so a change in its prose or form must also be released.
  if (isDeepStrictEqual(before, after)) return { level: "docs", changes: [] };
  // In parallel, as each takes seconds.
  const [inDocument, inTypes] = await Promise.all([diffDocuments(before, after), diffTypes(before, after)]);
  const onlyInTypes = inTypes.filter((change) => !inDocument.some((other) => covers(other, change)));
  const changes = [...inDocument, ...onlyInTypes].sort((left, right) => bySeverity(right.level, left.level));
  return { level: changes[0]?.level ?? "docs", changes };
}

/** Whether one change makes another redundant: it is at least as severe, at the same or a more precise place. */
function covers(precise: Change, vague: Change): boolean {
  const isThere = precise.where === vague.where || precise.where.startsWith(`${vague.where}/`);
  return isThere && bySeverity(precise.level, vague.level) >= 0;
}
