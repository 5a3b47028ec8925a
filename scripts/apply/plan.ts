import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { changesetName, changesetText, isGeneratedChangeset, promisesEnough } from "../classify/changeset.js";
import { type Classification, classify } from "../classify/classify.js";
import { faultOf, uncheckedPatterns } from "../compile/find-fault.js";
import { generateFiles } from "../emit/generate-files.js";
import { normalise } from "../normalise/normalise.js";
import type { JsonObject } from "../openapi/json.js";
import { Refusal } from "../refusal.js";
import { documentText, parseDocument } from "../vet/parse-document.js";
import { namesIn, type Places, readText } from "./places.js";

/** What a document requires, and how the working copy differs from it. */
export type Plan = Awaited<ReturnType<typeof makePlan>>;

/** Works out what needs to be done; changes nothing. */
export async function makePlan(document: JsonObject, places: Places) {
  const releasedText = await readText(places.released);
  if (releasedText === undefined) {
    throw new Refusal("no-released-document", `${path.relative(places.root, places.released)} is missing`);
  }
  const released = parseDocument(releasedText);
  const normalised = normalise(document);
  const fault = faultOf(normalised);
  if (fault !== undefined) throw new Refusal("does-not-compile", fault);
  const classification = await classify(released, document);
  const modules = await generateFiles(document);
  const expected = new Map([...modules].map(([name, text]) => [path.join(places.generated, name), text]));
  if (classification.level !== "none") {
    const file = path.join(places.changesets, changesetName(documentText(document)));
    expected.set(file, await changesetFor(classification, file, places));
  }
  // Comes last, so that a failure never leaves a new document with old files.
  expected.set(places.document, documentText(document));
  const writes = new Map<string, string>();
  for (const [file, text] of expected) if ((await readText(file)) !== text) writes.set(file, text);
  return {
    classification,
    /** The places of the patterns that only the service checks. */
    unchecked: uncheckedPatterns(normalised),
    /** The generated modules, by file name. */
    modules,
    /** Files that need to be written, with their text; the document comes last. */
    writes,
    /** Files that need to be removed. */
    removals: (await generatedFiles(places)).filter((file) => !expected.has(file)),
  };
}

/** The text of the changeset. An existing one is kept unless its bump is too small for the changes. */
async function changesetFor(changes: Classification, file: string, { manifest }: Places): Promise<string> {
  const { name, version } = JSON.parse((await readText(manifest)) ?? "{}");
  const wanted = changesetText(name, version, changes);
  const present = await readText(file);
  return present !== undefined && promisesEnough(present, wanted) ? present : wanted;
}

/** The generated files, in order. */
async function generatedFiles({ generated, changesets }: Places): Promise<string[]> {
  return [
    ...(await namesIn(generated)).map((name) => path.join(generated, name)),
    ...(await namesIn(changesets)).filter(isGeneratedChangeset).map((name) => path.join(changesets, name)),
  ];
}

/** Carries out a plan. It writes drafts of all files first, so that most failures occur before any file is replaced. */
export async function applyPlan({ writes, removals }: Plan, { root }: Places): Promise<void> {
  if (writes.size + removals.length === 0) return;
  // In the working copy, because renaming is atomic only within one file system.
  const folder = await mkdtemp(path.join(root, ".generated-"));
  try {
    const drafts = [...writes].map(([file, text], index) => {
      return { file, text, draft: path.join(folder, String(index)) };
    });
    for (const { draft, text } of drafts) await writeFile(draft, text);
    for (const file of removals) await rm(file, { recursive: true });
    for (const { file, draft } of drafts) {
      await mkdir(path.dirname(file), { recursive: true });
      await rename(draft, file);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One line for each file that differs from what the document requires; empty if none does. */
export function driftOf({ writes, removals }: Plan, { root }: Places): string[] {
  const label = (file: string) => path.relative(root, file).split(path.sep).join("/");
  const changed = [...writes.keys()].map((file) => {
    return `${label(file)} ${existsSync(file) ? "is not what openapi.json asks for" : "is missing"}`;
  });
  return [...changed, ...removals.map((file) => `${label(file)} is left over`)];
}
