import type { AcceptedJob, Job } from "../index.js";
import { printable, printableLine } from "./output.js";
import type { CreatedApp } from "./session.js";

/** The result of a command, for programs and for people. */
export interface Result {
  value: unknown;
  text: string;
}

/** The result of `create`: the job, its cost, and the app if the command created one. */
export function createResult(app: CreatedApp | undefined, job: Job & Pick<AcceptedJob, "credits">): Result {
  return {
    value: app ? { ...job, app } : job,
    text: `${jobText(app ? nameOf(app) : `Job ${job.id}`, job)}\n${chargeText(job.credits)}.\n`,
  };
}

/** The name of an app as people know it. */
export function nameOf({ appId, name }: CreatedApp): string {
  return typeof name === "string" ? name : `App ${appId}`;
}

/** The credits that were charged and those that are left, as far as the service told them. */
export function chargeText(credits: unknown): string {
  const { cost, remaining } = (credits ?? {}) as { cost?: unknown; remaining?: unknown };
  const charged = typeof cost === "number" ? `${cost} credits were charged` : "Credits were charged";
  return typeof remaining === "number" ? `${charged}, ${remaining} are left` : charged;
}

/** The result of looking at a job. */
export function jobResult(job: Job): Result {
  return { value: job, text: jobText(`Job ${job.id}`, job) };
}

function jobText(subject: string, { status, result, error }: Job): string {
  const { device } = (result ?? {}) as { device?: unknown };
  const found = result
    ? `${result.slides.length} ${result.slides.length === 1 ? "slide" : "slides"} for ${device}`
    : status;
  const lines = [printableLine(`${subject}: ${found}`)];
  if (result) lines.push("", ...result.slides.flatMap((slide, index) => numbered(index + 1, slide)));
  if (error) lines.push("", ...blockLines(error, 0));
  return `${lines.join("\n")}\n`;
}

/** Deeper than this, JSON is as readable as indentation. */
const deepest = 4;

/** The service does not document the fields of slides and errors, so all of them are shown. */
function fieldLines(fields: object, depth = 1): string[] {
  const lines = Object.entries(fields).flatMap(([name, value]) => {
    const label = `${printableLine(name)}:`;
    const inline = inlineText(value, depth);
    return inline === undefined
      ? [label, ...blockLines(value, depth).map(indented(2))]
      : `${label} ${inline}`;
  });
  return lines.length > 0 ? lines : ["(empty)"];
}

function numbered(number: number, value: unknown, depth = 1): string[] {
  const label = `${number}. `;
  const [first = "", ...others] = blockLines(value, depth);
  return [label + first, ...others.map(indented(label.length))];
}

/** A value that fits behind its name; `undefined` for a text of several lines or a value with fields of its own. */
function inlineText(value: unknown, depth: number): string | undefined {
  if (typeof value === "string" && value !== "") return value.includes("\n") ? undefined : printable(value);
  const hasParts = isObject(value) && (!Array.isArray(value) || value.some(isObject));
  return hasParts && depth < deepest ? undefined : printableLine(JSON.stringify(value));
}

function blockLines(value: unknown, depth: number): string[] {
  if (typeof value === "string" && value !== "") return printable(value).split("\n");
  if (!isObject(value)) return [JSON.stringify(value)];
  if (!Array.isArray(value)) return fieldLines(value, depth + 1);
  if (value.length === 0) return ["[]"];
  return value.flatMap((item, index) => numbered(index + 1, item, depth + 1));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function indented(width: number): (line: string) => string {
  return (line) => " ".repeat(width) + line;
}
