import path from "node:path";
import { parseArgs } from "node:util";
import { applyPlan, documentFile, driftOf, makePlan, type Plan } from "./apply/plan.js";
import { typeCheck } from "./compile/type-check.js";
import { pull, sourceOf } from "./pull/pull.js";
import { exitCodeOf, Refusal, visible } from "./refusal.js";
import { parseDocument } from "./vet/parse-document.js";

/** The inputs and outputs of the command. */
export interface CommandContext {
  /** The folder of the working copy. */
  root: string;
  environment: Record<string, string | undefined>;
  /** How long a pull may take. */
  timeoutMs: number;
  /** Print a line to standard output and to standard error. */
  say(line: string): void;
  complain(line: string): void;
}

/** Runs `npm run generate`, prints what it did, and returns the exit code. */
export async function runGenerate(commandLine: string[], context: CommandContext): Promise<number> {
  try {
    const { check, from } = readOptions(commandLine);
    const { root, environment, timeoutMs } = context;
    const source = from === undefined ? { file: path.join(root, documentFile) } : sourceOf(from, environment);
    const plan = await makePlan(parseDocument(await pull(source, timeoutMs)), root);
    if (!check) return await carryOut(plan, context);
    const drift = driftOf(plan, root);
    drift.forEach(context.complain);
    return drift.length > 0 ? 1 : 0;
  } catch (error) {
    const code = error instanceof Refusal ? error.code : "internal";
    const message = error instanceof Error ? error.message : String(error);
    context.complain(visible(`${code}: ${message.split("\n")[0]}`));
    return exitCodeOf(error);
  }
}

function readOptions(commandLine: string[]): { check: boolean; from?: string } {
  try {
    const { values } = parseArgs({
      args: commandLine,
      options: { check: { type: "boolean", default: false }, from: { type: "string" } },
    });
    if (values.check && values.from !== undefined) {
      throw new Error("--check is about what is there, --from about something else");
    }
    return values;
  } catch (error) {
    throw new Refusal("usage", (error as Error).message);
  }
}

async function carryOut(plan: Plan, { say, root }: CommandContext): Promise<number> {
  const { classification, leftOut, priceKept, unchecked, byHand, modules, writes, removals } = plan;
  if (modules) typeCheck(root, modules);
  await applyPlan(plan, root);
  say(`level: ${classification.level}`);
  for (const { level, words } of classification.changes) say(`${level}: ${words}`);
  for (const line of byHand) say(`to do: ${line}`);
  for (const part of leftOut) say(`left out: ${part}`);
  if (priceKept !== undefined) {
    say(
      `price: the document does not state it in one number, so it stays as it was, ${priceKept} credits a set`,
    );
  }
  for (const field of unchecked) {
    say(`unchecked: the pattern of ${field} is not surely one of JavaScript, so only the service checks it`);
  }
  for (const file of writes.keys()) say(`wrote ${file}`);
  for (const file of removals) say(`removed ${file}`);
  return 0;
}
