import { holdsReason } from "../errors/job-errors.js";
import type { AcceptedJob, Job } from "../index.js";
import { numberIn, plural } from "../text/figures.js";
import { printable, printableWord } from "../text/printable.js";
import { printableLine } from "./output.js";

/** An app as the service returned it. In a later document it may have no name, or one that is not a string. */
export interface CreatedApp {
  appId?: unknown;
  name?: unknown;
}

/** The result of a command. */
export interface Result {
  /** For programs, with `--json`. Without it, they get the text. */
  value?: unknown;
  /** For people; missing where it was written already. */
  text?: string;
  /** @default 0 */
  exitCode?: number;
}

/** The result of `create`: the job, its cost, and the app if the command created one. */
export function createResult(app: CreatedApp | undefined, job: Job & Pick<AcceptedJob, "credits">): Result {
  return {
    value: { ...job, app },
    text: `${jobText(app ? nameOf(app) : nameOfJob(job.id), job)}\n${chargeText(job.credits)}.\n`,
  };
}

/** The result of `create --no-wait`. */
export function acceptedResult(app: CreatedApp | undefined, accepted: AcceptedJob): Result {
  return {
    value: { ...accepted, app },
    text: `${nameOfJob(accepted.jobId)} was accepted\n${chargeText(accepted.credits)}.\n`,
  };
}

/** The name of an app for people, or its id if it has no name. */
export function nameOf({ appId, name }: CreatedApp): string {
  return typeof name === "string" ? name : `App ${printableWord(String(appId))}`;
}

const nameOfJob = (id: string) => `Job ${printableWord(id)}`;

/** The credits that were charged and those that are left, as far as the service reported them. */
export function chargeText(credits: unknown): string {
  const { cost, remaining }: Record<string, unknown> = Object(credits);
  const charged = isNumber(cost) ? `${numberIn(cost)} credits were charged` : "Credits were charged";
  return isNumber(remaining) ? `${charged}, ${numberIn(remaining)} are left` : charged;
}

const isNumber = (value: unknown): boolean => Number.isFinite(numberIn(value));

/** The result of a job that was fetched or waited for. */
export function jobResult(job: Job): Result {
  return { value: job, text: jobText(nameOfJob(job.id), job) };
}

/** What is said of a failed job whose error holds nothing. */
export const noReason = "The service gave no reason.";

function jobText(subject: string, { status, result, error }: Job): string {
  const { device } = (result ?? {}) as { device?: unknown };
  const slides: unknown = result?.slides;
  const found = Array.isArray(slides) ? `${plural(slides.length, "slide")} for ${device}` : status;
  const lines = [printableLine(`${subject}: ${found}`)];
  if (Array.isArray(slides) && slides.length > 0) lines.push("", ...linesOf(slides));
  // A text alone could look like a line of this program.
  if (holdsReason(error)) lines.push("", ...linesOf(typeof error === "object" ? error : { error }));
  else if (status === "failed") lines.push(noReason);
  return `${lines.join("\n")}\n`;
}

/** A value, line by line. All fields of slides and errors are shown, whatever the document describes. */
function linesOf(value: unknown): string[] {
  if (typeof value === "string" && value !== "") return printable(value).split("\n");
  if (!isNested(value)) return [printableLine(JSON.stringify(value))];
  const lines = Object.entries(value).flatMap(([name, part], index) => {
    const [first = "", ...others] = linesOf(part);
    const label = Array.isArray(value) ? `${index + 1}.` : `${printableLine(name)}:`;
    const isBelow = !Array.isArray(value) && (others.length > 0 || isNested(part));
    if (isBelow) return [label, ...[first, ...others].map(indented(2))];
    return [`${label} ${first}`, ...others.map(indented(label.length + 1))];
  });
  return lines.length > 0 ? lines : ["(empty)"];
}

/** Whether a value has fields or entries that take lines of their own. */
function isNested(value: unknown): value is object {
  return isObject(value) && (!Array.isArray(value) || value.some(isObject));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function indented(width: number): (line: string) => string {
  return (line) => " ".repeat(width) + line;
}
