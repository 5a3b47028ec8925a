import type { InvalidRequestError } from "../index.js";
import { printableLine } from "./printable.js";

/** The command was typed wrongly: shown with how to type it, exit code 2. */
export class UsageError extends Error {}

/** What the client refuses to send, in the words of the command line. */
export function refusedIssues(
  issues: InvalidRequestError["issues"],
  names: Record<string, string>,
): UsageError {
  const words = issues.map(({ path, message }) => (path ? `${names[path] ?? path}: ${message}` : message));
  return new UsageError(`${printableLine(words.join("; "))}.`);
}
