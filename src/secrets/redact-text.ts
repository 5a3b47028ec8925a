/** A shorter key, as tests use, is no secret: taking `k` out of an answer would only maim its words. */
const shortestSecret = 8;

/**
 * Makes the function that replaces each secret in a text by `***`, also where it is escaped. Undefined where nothing
 * counts as a secret.
 */
export function textCleaner(all: readonly string[]): ((text: string) => string) | undefined {
  // The longest first: a rotated key may begin with the one before.
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

/** The expressions of the last secrets: each takes longer to make than to use. */
const made = new Map<string, RegExp>();

function escapedForms(secret: string): RegExp {
  const known = made.get(secret);
  if (known) return known;
  if (made.size >= 10) made.clear();
  const forms = secret.match(/\\+|[^\\]/g)?.map(formsOf) ?? [];
  const expression = new RegExp(forms.join(""), "g");
  made.set(secret, expression);
  return expression;
}

/**
 * Finds a character as it is and as JSON, URLs and HTML may write it: JSON writes any as `\u0041` and some with a
 * backslash before, JSON within JSON with several. So that no answer is slow to search, no two parts of an expression
 * can take the same run of backslashes: it begins at its first one only, and those of the secret count as one run.
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
