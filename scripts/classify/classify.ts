import { isDeepStrictEqual } from "node:util";
import { normalise } from "../normalise/normalise.js";
import type { JsonObject } from "../openapi/json.js";
import { bySeverity, type Change, type Level } from "./change.js";
import { comparable } from "./comparable.js";
import { diffDocuments } from "./diff-documents.js";
import { diffTypes } from "./diff-types.js";
import { inWords } from "./in-words.js";

/** How two documents differ. */
export interface Classification {
  level: Level;
  /** The changes that were found, the most severe first. */
  changes: Change[];
  /** What changed for users of the SDK, a sentence each. */
  words: string[];
}

/**
 * Rates the change from the released document to another by what it means for the SDK's users. Both are compared in
 * normal form, as the SDK sees them, in two ways: Redocly's diff of documents knows constraints, and the compiler knows
 * types. The more severe rating counts.
 */
export async function classify(released: JsonObject, document: JsonObject): Promise<Classification> {
  if (isDeepStrictEqual(released, document)) return { level: "none", changes: [], words: [] };
  const [old, current] = [normalise(released), normalise(document)];
  const [before, after] = [comparable(old), comparable(current)];
  // The package contains the document, so a change in its prose or form must also be released.
  if (isDeepStrictEqual(before, after)) return { level: "docs", changes: [], words: [] };
  // In parallel, as each takes seconds.
  const [inDocument, inTypes] = await Promise.all([diffDocuments(before, after), diffTypes(before, after)]);
  const onlyInTypes = inTypes.filter((change) => !inDocument.some((other) => covers(other, change)));
  const changes = [...inDocument, ...onlyInTypes].sort((left, right) => bySeverity(right.level, left.level));
  return { level: changes[0]?.level ?? "docs", changes, words: inWords(old, current) };
}

/** Whether one change makes another redundant: it is at least as severe, at the same or a more precise place. */
function covers(precise: Change, vague: Change): boolean {
  const isThere = precise.where === vague.where || precise.where.startsWith(`${vague.where}/`);
  return isThere && bySeverity(precise.level, vague.level) >= 0;
}
