/** Where common APIs put the words for people, in the order in which they are asked. */
const messageFields = [
  "message",
  // Beside it, `error` is a code: https://www.rfc-editor.org/rfc/rfc6749#section-5.2
  "error_description",
  "error",
  "detail",
  "errors",
  "title",
  "description",
  "reason",
  "msg",
  // As gateways word their own refusals: those of AWS, and Apigee.
  "Message",
  "errorMessage",
  "error_message",
  "fault",
  "faultstring",
];

/** Error bodies are undocumented, and so is the `error` of a job: any form is searched for its words. */
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

/** Checks of a form are often told by the field: `{ errors: { url: ["is no listing"] } }`. */
function fieldMessageIn(errors: unknown): string | undefined {
  for (const [field, words] of Object.entries(errors ?? {})) {
    const message = messageIn(words, 2);
    if (message) return shortened(`${field}: ${message}`);
  }
  return undefined;
}

const longestMessage = 500;

/** In a string, as it would take a twentieth of the package's import to compile with the rest. */
const blanks = "[\\s\\p{Cc}]+";

/** One line of words, which no terminal takes for a command; empty where there are none. */
export function shortened(text: string): string {
  const line = text
    .slice(0, 2 * longestMessage)
    .replace(new RegExp(blanks, "gu"), " ")
    .trim();
  return line.length > longestMessage ? `${line.slice(0, longestMessage)}…` : line;
}

/** Words end in a full stop, unless they have an end of their own. */
export function sentence(words: string): string {
  return /[.!?…]$/.test(words) ? words : `${words}.`;
}
