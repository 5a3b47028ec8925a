import { messageFields } from "../generated/values.js";

/** The message in an error body or in the `error` of a job. It is found in any form. */
export function messageIn(body: unknown, depth = 0): string | undefined {
  if (typeof body === "string") return depth === 0 && /^\s*</.test(body) ? undefined : shortened(body);
  if (typeof body !== "object" || body === null || depth > 4) return undefined;
  if (Array.isArray(body)) return messageIn(body[0], depth + 1);
  for (const field of messageFields) {
    const message = Object.hasOwn(body, field)
      ? messageIn((body as Record<string, unknown>)[field], depth + 1)
      : undefined;
    if (message) return message;
  }
  return depth > 0 ? undefined : fieldMessageIn((body as { errors?: unknown }).errors);
}

/** The message of a validation error, often listed by field: `{ errors: { url: ["is no listing"] } }`. */
function fieldMessageIn(errors: unknown): string | undefined {
  for (const [field, words] of Object.entries(errors ?? {})) {
    const message = messageIn(words, 2);
    if (message) return shortened(`${field}: ${message}`);
  }
  return undefined;
}

const longestMessage = 500;

/** A string, since compiling a literal would take a twentieth of the time to import the package. */
const blanks = "[\\s\\p{Cc}]+";

/** A text on one line, without characters that a terminal takes for a command; empty if there are no words. */
export function shortened(text: string): string {
  const line = text
    .slice(0, 2 * longestMessage)
    .replace(new RegExp(blanks, "gu"), " ")
    .trim();
  return line.length > longestMessage ? `${line.slice(0, longestMessage)}…` : line;
}

/** Adds a full stop, unless the words already end in punctuation. */
export function sentence(words: string): string {
  return /[.!?…]$/.test(words) ? words : `${words}.`;
}
