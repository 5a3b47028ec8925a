import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { changesetName, changesetText, isGeneratedChangeset, promisesEnough } from "../classify/changeset.js";
import { classify } from "../classify/classify.js";
import { generateFiles } from "../emit/generate-files.js";
import { priceOf } from "../emit/price.js";
import { withFacts } from "../emit/readme-facts.js";
import { normalise } from "../normalise/normalise.js";
import type { JsonObject } from "../openapi/json.js";
import { knownOperations } from "../openapi/known-operations.js";
import { quoted, Refusal } from "../refusal.js";
import { documentText, parseStrictJson } from "../vet/parse-document.js";
import { vetAnswers, vetConstraints } from "../vet/vet-operations.js";
import { readHandWritten } from "./hand-written.js";
import { leftByHand } from "./left-by-hand.js";

/** The document as the service publishes it. */
export const documentFile = "openapi.json";
/** The folder that contains only generated files. */
const generated = "src/generated";
/** The document as of the last release of the package. */
const releasedFile = ".changeset/released-openapi.json";

/** What a document requires, and how the working copy differs from it. */
export type Plan = Awaited<ReturnType<typeof makePlan>>;

/** Works out what needs to be done in the working copy at `root`; changes nothing. */
export async function makePlan(document: JsonObject, root: string) {
  const text = (file: string) => unlessMissing(readFile(path.join(root, file), "utf8"));
  const names = async (folder: string) => (await unlessMissing(readdir(path.join(root, folder)))) ?? [];
  const releasedText = await text(releasedFile);
  if (releasedText === undefined) throw new Refusal("no-released-document", `${releasedFile} is missing`);
  const leftOut: string[] = [];
  const normalised = normalise(document, (part, reason) => leftOut.push(`${quoted(part)}: ${reason}`));
  vetAnswers(normalised);
  const unchecked = vetConstraints(normalised);
  // It was vetted when it was released, by the operations of that time.
  const released = parseStrictJson(releasedText) as JsonObject;
  const newMethods = methodsBeyond(await text(`${generated}/operations.ts`));
  const valuesBefore = await text(`${generated}/values.ts`);
  const classification = classify(released, document, newMethods, valuesBefore);
  const cost = priceOf(normalised, valuesBefore);
  const modules = generateFiles(document, cost);
  const expected = new Map([...modules].map(([name, code]) => [`${generated}/${name}`, code]));
  const readme = withFacts((await text("README.md")) ?? "", normalised, cost.price);
  expected.set("README.md", readme);
  const file = `.changeset/${changesetName(documentText(document))}`;
  const present = await text(file);
  if (classification.level !== "none") {
    const { name, version } = JSON.parse((await text("package.json")) ?? "{}");
    const wanted = changesetText(name, version, classification);
    // People may have reworded it.
    expected.set(file, present !== undefined && promisesEnough(present, wanted) ? present : wanted);
  } else if (present !== undefined) {
    // It tells of a method that was generated since.
    expected.set(file, present);
  }
  const byHand = new Map([...(await readHandWritten(root)), ["README.md", readme]]);
  // Comes last, so that a failure never leaves a new document with old files.
  expected.set(documentFile, documentText(document));
  const writes = new Map<string, string>();
  for (const [file, wanted] of expected) if ((await text(file)) !== wanted) writes.set(file, wanted);
  const written = [
    ...(await names(generated)).map((name) => `${generated}/${name}`),
    ...(await names(".changeset")).filter(isGeneratedChangeset).map((name) => `.changeset/${name}`),
  ];
  return {
    classification,
    /** The parts of the document that no code is generated from, each with the reason. */
    leftOut,
    /** What a set costs, if the document does not state it. */
    priceKept: cost.isStated ? undefined : cost.price,
    /** What is left for a person, by place. */
    byHand: [
      ...classification.changes.flatMap(({ todo }) => todo ?? []),
      ...leftByHand({ document, normalised, released }, byHand),
    ],
    /** The fields whose patterns only the service checks. */
    unchecked,
    /** The generated modules, by file name; undefined if none of them changes. */
    modules: [...writes.keys()].some((file) => file.startsWith(generated)) ? modules : undefined,
    /** Files that need to be written, with their text; the document comes last. */
    writes,
    /** Files that need to be removed. */
    removals: written.filter((file) => !expected.has(file)).sort(),
  };
}

/** The operations that got a method since this generated module was written; none if it names no operation. */
function methodsBeyond(operations = ""): string[] {
  const names = Array.from(operations.matchAll(/^export const (\w+) = \{/gm), ([, name]) => name);
  return names.length > 0 ? knownOperations.flatMap(({ name }) => (names.includes(name) ? [] : [name])) : [];
}

/** What was read; undefined if there is no such file or folder. */
function unlessMissing<Found>(reading: Promise<Found>): Promise<Found | undefined> {
  return reading.catch((error) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  });
}

/** Carries out a plan. */
export async function applyPlan({ writes, removals }: Plan, root: string): Promise<void> {
  for (const file of removals) await rm(path.join(root, file), { recursive: true });
  for (const [file, text] of writes) {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), text);
  }
}

/** One line for each file that differs from what the document requires; empty if none does. */
export function driftOf({ writes, removals }: Plan, root: string): string[] {
  const changed = [...writes.keys()].map((file) => {
    return `${file} ${existsSync(path.join(root, file)) ? "is not what openapi.json asks for" : "is missing"}`;
  });
  return [...changed, ...removals.map((file) => `${file} is left over`)];
}
