import { fstatSync, writeFileSync } from "node:fs";
import { systemReason } from "../batch/system-reason.js";
import { printable } from "../text/printable.js";

/**
 * Keeps the command alive when the reader of its output closes it (`| head`): it may be waiting for a set that was paid
 * for. Other failures are reported to the code that wrote.
 */
export function surviveClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}

/** Resolves once standard output has taken the text; rejects with what keeps it from that. */
export function printResult(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // Where a disk is nearly full, Node's stream takes the part that fits for the whole.
    if (fstatSync(1).isFile()) return resolve(writeFileSync(1, text));
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** Whether a write failed because its reader has gone, as `head` does once it has its lines. */
export function isReaderGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === "EPIPE";
}

/** Prints what costs nothing, so that a reader that has gone is no failure. */
export async function printFree(text: string): Promise<void> {
  await printResult(text).catch((error: unknown) => {
    if (!isReaderGone(error)) throw new Error(unwritten(undefined, error));
  });
}

/**
 * That an output was not written, and why, as a sentence.
 *
 * @param file undefined for standard output
 */
export function unwritten(file: string | undefined, error: unknown, begin = "Cannot write"): string {
  const name = file === undefined ? "standard output" : `--out ${file}`;
  const reason = isReaderGone(error) ? "its reader has gone" : systemReason(error);
  return printableLine(`${begin} to ${name}: ${reason}.`);
}

/** Prints a line for people, on standard error. */
export function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Like `printable`, but on one line. */
export function printableLine(text: string): string {
  return printable(
    text
      .trim()
      .split(/[\r\n]+/)
      .map((line) => line.trim())
      .join(" "),
  );
}

/** JSON for people and programs. Unprintable characters become JSON escapes, which do not change the value. */
export function printableJson(value: unknown, indent = 2): string {
  return printable(JSON.stringify(value, null, indent));
}

/** An error for JSON. The client's errors say themselves what they tell. */
export function errorJson(error: unknown): object {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message } = error;
  return "toJSON" in error ? JSON.parse(JSON.stringify(error)) : { name, message };
}

/** An error as one JSON value, on one line. */
export function errorLine(error: unknown, details: object = {}): string {
  return `${printableJson({ error: { ...errorJson(error), ...details } }, 0)}\n`;
}
