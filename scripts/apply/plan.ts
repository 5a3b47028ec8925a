import path from "node:path";
import { changesetName, changesetText, isGeneratedChangeset, settles } from "../classify/changeset.js";
import { type Classification, classify } from "../classify/classify.js";
import { generateFiles } from "../emit/generate-files.js";
import type { JsonObject } from "../openapi/json.js";
import { Refusal } from "../refusal.js";
import { documentText, parseDocument } from "../vet/document.js";
import { vetSuccession } from "../vet/vet-operations.js";
import type { Places } from "./places.js";
import { namesIn, readText } from "./read-text.js";
import { toolsText } from "./tools.js";

/** What a document asks for, and in how far the working copy is something else. */
export interface Plan {
  classification: Classification;
  /** The generated modules, by file name. */
  modules: Map<string, string>;
  /** Files that are to have this text and do not have it; the document comes last. */
  writes: Map<string, string>;
  /** Files that are to be gone. */
  removals: string[];
}

/** Works out what is to be done; changes nothing. */
export async function makePlan(document: JsonObject, places: Places): Promise<Plan> {
  const released = parseDocument(await releasedText(places));
  vetSuccession(released, document);
  const classification = await classify(released, document);
  const modules = await generateFiles(document);
  const expected = new Map(
    [...modules, ["tools.json", await toolsText(places.root)] as const].map(([name, text]) => [
      path.join(places.generated, name),
      text,
    ]),
  );
  const changeset = await changesetFile(document, classification, places);
  if (changeset) expected.set(...changeset);
  // Last, so that a failure leaves no document without its files.
  expected.set(places.document, documentText(document));
  return {
    classification,
    modules,
    writes: await differing(expected),
    removals: await leftOver(expected, places),
  };
}

async function releasedText({ released, root }: Places): Promise<string> {
  const text = await readText(released);
  if (text === undefined) {
    throw new Refusal(
      "no-released-document",
      `Failed to rate the changes: ${path.relative(root, released)} is missing. Please restore it from the last release.`,
    );
  }
  return text;
}

/** The changeset that the classified changes need. One that is there is kept, if it promises no less. */
async function changesetFile(
  document: JsonObject,
  classification: Classification,
  { changesets, manifest }: Places,
): Promise<[string, string] | undefined> {
  if (classification.level === "none") return undefined;
  const file = path.join(changesets, changesetName(documentText(document)));
  const { name, version }: { name: string; version: string } = JSON.parse((await readText(manifest)) ?? "{}");
  const wanted = changesetText(name, version, classification);
  const present = await readText(file);
  return [file, present !== undefined && settles(present, wanted) ? present : wanted];
}

async function differing(expected: Map<string, string>): Promise<Map<string, string>> {
  const writes = new Map<string, string>();
  for (const [file, text] of expected) {
    if ((await readText(file)) !== text) writes.set(file, text);
  }
  return writes;
}

async function leftOver(expected: Map<string, string>, { generated, changesets }: Places): Promise<string[]> {
  const present = [
    ...(await namesIn(generated)).map((name) => path.join(generated, name)),
    ...(await namesIn(changesets)).filter(isGeneratedChangeset).map((name) => path.join(changesets, name)),
  ];
  return present.filter((file) => !expected.has(file));
}
