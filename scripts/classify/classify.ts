import { isDeepStrictEqual } from "node:util";
import { normalise } from "../normalise/normalise.js";
import type { JsonObject } from "../openapi/json.js";
import { documentText } from "../vet/document.js";
import { comparable } from "./comparable.js";
import { diffDocuments } from "./diff-documents.js";
import { diffTypes } from "./diff-types.js";

/** How much a change asks of those who use the SDK, from nothing upwards. */
export const levels = ["none", "docs", "additive", "breaking"] as const;

export type Level = (typeof levels)[number];

/** One way in which a document differs from another, in words of our own. */
export interface Change {
  level: Level;
  rule: string;
  /** The place, as a path of keys of the document. */
  where: string;
}

export interface Classification {
  level: Level;
  /** The changes that it rests on, the gravest first. */
  changes: Change[];
}

/**
 * What the change from the released document to another means for the SDK's users. Two judges look at both as the SDK
 * sees them, in normal form: a diff of the documents, which knows constraints, and the compiler, which knows types.
 * The graver verdict counts.
 */
export async function classify(released: JsonObject, document: JsonObject): Promise<Classification> {
  if (documentText(released) === documentText(document)) return { level: "none", changes: [] };
  const before = comparable(normalise(released));
  const after = comparable(normalise(document));
  // The document itself is part of the package, so that a change of its prose or form is one to release too.
  if (isDeepStrictEqual(before, after)) return { level: "docs", changes: [] };
  // At the same time, as each of them takes seconds.
  const [inDocument, inTypes] = await Promise.all([diffDocuments(before, after), diffTypes(before, after)]);
  const changes = [
    ...inDocument,
    ...inTypes.filter((change) => !inDocument.some((other) => covers(other, change))),
  ];
  const level = changes.map((change) => change.level).reduce(graver, "docs");
  return { level, changes: changes.sort((left, right) => rank(right.level) - rank(left.level)) };
}

/** Whether one change says all that another says, and more precisely where. */
function covers(precise: Change, vague: Change): boolean {
  const isThere = precise.where === vague.where || precise.where.startsWith(`${vague.where}/`);
  return isThere && rank(precise.level) >= rank(vague.level);
}

function graver(left: Level, right: Level): Level {
  return rank(left) >= rank(right) ? left : right;
}

function rank(level: Level): number {
  return levels.indexOf(level);
}
