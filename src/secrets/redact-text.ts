/** Shorter keys, as tests use, are not secrets: removing `k` from an answer would only garble its words. */
const shortestSecret = 8;

/**
 * Creates a function that replaces each secret in a text with `***`, as it is or as JSON escapes it. Returns undefined
 * if nothing counts as a secret.
 */
export function textCleaner(all: readonly string[]): ((text: string) => string) | undefined {
  // Longest first, since a rotated key may begin with the previous one.
  const secrets = all.filter(({ length }) => length >= shortestSecret).sort((a, b) => b.length - a.length);
  if (secrets.length === 0) return undefined;
  const forms = secrets.flatMap((secret) => [...new Set([JSON.stringify(secret).slice(1, -1), secret])]);
  return (text) => forms.reduce((cleaned, form) => cleaned.replaceAll(form, "***"), text);
}
