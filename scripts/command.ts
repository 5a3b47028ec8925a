import path from "node:path";
import { parseArgs } from "node:util";
import { applyPlan } from "./apply/apply-plan.js";
import { driftOf } from "./apply/drift.js";
import { type Places, placesIn } from "./apply/places.js";
import { makePlan } from "./apply/plan.js";
import { readablePlace } from "./classify/readable-place.js";
import { typeCheck } from "./compile/type-check.js";
import type { JsonObject } from "./openapi/json.js";
import { pull } from "./pull/pull.js";
import { sourceOf } from "./pull/source.js";
import { exitCodeOf, Refusal } from "./refusal.js";
import { parseDocument } from "./vet/document.js";

/** What the command stands on. */
export interface Surroundings {
  /** The working copy. */
  root: string;
  environment: Record<string, string | undefined>;
  /** How long a pull may take. */
  timeoutMs: number;
  /** Lines for standard output and for standard error. */
  say(line: string): void;
  complain(line: string): void;
}

/** `npm run generate`: the exit code, after everything was said. */
export async function runGenerate(commandLine: string[], surroundings: Surroundings): Promise<number> {
  try {
    const { check, from } = readOptions(commandLine);
    const places = placesIn(surroundings.root);
    const document = await readDocument(from, places, surroundings);
    return check
      ? await checkInPlace(document, places, surroundings)
      : await bringIn(document, places, surroundings);
  } catch (error) {
    const code = error instanceof Refusal ? error.code : "internal";
    const message = error instanceof Error ? error.message : String(error);
    surroundings.complain(`${code}: ${message.split("\n")[0]}`);
    return exitCodeOf(error);
  }
}

function readOptions(commandLine: string[]): { check: boolean; from: string | undefined } {
  try {
    const { values } = parseArgs({
      args: commandLine,
      options: { check: { type: "boolean", default: false }, from: { type: "string" } },
    });
    if (values.check && values.from !== undefined) {
      throw new Error("--check is about what is there, --from about something else");
    }
    return { check: values.check, from: values.from };
  } catch (error) {
    throw new Refusal(
      "usage",
      `${(error as Error).message}. Please give --from URL_OR_FILE, --check or nothing.`,
    );
  }
}

async function readDocument(
  from: string | undefined,
  places: Places,
  { environment, timeoutMs }: Surroundings,
): Promise<JsonObject> {
  const source = from === undefined ? { file: places.document } : sourceOf(from, environment);
  return parseDocument(await pull(source, timeoutMs));
}

async function checkInPlace(
  document: JsonObject,
  places: Places,
  { complain }: Surroundings,
): Promise<number> {
  const drift = await driftOf(await makePlan(document, places), places);
  drift.forEach(complain);
  return drift.length > 0 ? 1 : 0;
}

async function bringIn(document: JsonObject, places: Places, { say, root }: Surroundings): Promise<number> {
  const plan = await makePlan(document, places);
  const { classification, modules, writes, removals } = plan;
  if ([...writes.keys()].some((file) => path.dirname(file) === places.generated)) typeCheck(root, modules);
  await applyPlan(plan, places);
  say(`level: ${classification.level}`);
  for (const { level, rule, where } of classification.changes) {
    say(`${level}: ${rule} at ${readablePlace(where)}`);
  }
  for (const file of writes.keys()) {
    say(`wrote ${path.relative(root, file)}`);
  }
  for (const file of removals) {
    say(`removed ${path.relative(root, file)}`);
  }
  return 0;
}
