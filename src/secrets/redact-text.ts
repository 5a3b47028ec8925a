/** Shorter keys, as tests use, are not secrets: removing `k` from an answer would only garble its words. */
const shortestSecret = 8;

/**
 * Creates a function that replaces each secret in a text with `***`, even if it is escaped. Returns undefined if
 * nothing counts as a secret.
 */
export function textCleaner(all: readonly string[]): ((text: string) => string) | undefined {
  // Longest first, since a rotated key may begin with the previous one.
  const secrets = all.filter(({ length }) => length >= shortestSecret).sort((a, b) => b.length - a.length);
  if (secrets.length === 0) return undefined;
  return (text) => {
    if (text.length < shortestSecret) return text;
    const hasEscapes = /[\\%&]/.test(text);
    let cleaned = text;
    for (const secret of secrets) {
      if (hasEscapes) cleaned = cleaned.replace(escapedForms(secret), "***");
      if (cleaned.includes(secret)) cleaned = cleaned.replaceAll(secret, "***");
    }
    return cleaned;
  };
}

/** A cache of the expressions of recent secrets, which take longer to create than to use. */
const made = new Map<string, RegExp>();

function escapedForms(secret: string): RegExp {
  const known = made.get(secret);
  if (known) return known;
  if (made.size >= 32) made.clear();
  const forms = secret.match(/\\+|[^\\]/g)?.map(formsOf) ?? [];
  const expression = new RegExp(forms.join(""), "g");
  made.set(secret, expression);
  return expression;
}

/**
 * The pattern of a character, as it is or escaped in JSON, URLs or HTML. JSON may write any as `\u0041` and some with a
 * backslash before, JSON within JSON with several. To keep searches fast, a run of backslashes fits only one part of an
 * expression: a match starts at its first one, and a run in the secret counts as one part.
 */
function formsOf(character: string, index: number, all: readonly string[]): string {
  const code = character.charCodeAt(0);
  const hex = code.toString(16).replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const name = names[character] ? `|${names[character]}` : "";
  const elsewhere = `%${hex}|&(?:#(?:0*${code}|[xX]0*${hex})${name});`;
  if (character.startsWith("\\")) return `(?:\\\\(?:u00${hex})?|${elsewhere})+`;
  const plain = `\\x${code.toString(16)}`;
  if (all[index - 1]?.startsWith("\\")) return `(?:${plain}|u00${hex}|${elsewhere})`;
  return `(?:${plain}|${index === 0 ? "(?<!\\\\)" : ""}\\\\+(?:${plain}|u00${hex})|${elsewhere})`;
}

const names: Record<string, string> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };
