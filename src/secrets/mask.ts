/** Whether a key is a secret. Shorter ones, as tests use, are not: masking every `k` in a text would only garble it. */
export const isSecret = (key: string): boolean => key.length >= 8;

/** The forms in which a key may stand in a text: as it is, and as JSON, URLs and forms write it. */
function spellingsOf(key: string): string[] {
  // All write a usual key as it is.
  if (/^[\w.-]+$/.test(key)) return [key];
  const inJson = JSON.stringify(key).slice(1, -1);
  const inUrl = encodeURIComponent(key);
  const inForm = `${new URLSearchParams({ key })}`.slice("key=".length);
  const inLowerCase = (coded: string) => coded.replace(/%../g, (code) => code.toLowerCase());
  return [key, inJson, inUrl, inForm, inLowerCase(inUrl), inLowerCase(inForm)];
}

/**
 * Returns a function that masks each secret key in a text, wherever it stands in one of its spellings. The longest come
 * first, because one key may begin with another. A regular expression of them would fail if a key is long.
 */
export function masker(
  keys: readonly string[],
  mask: (spelling: string) => string,
): (text: string) => string {
  const all = new Set(keys.filter(isSecret).flatMap(spellingsOf));
  const sorted = [...all].sort((one, other) => other.length - one.length);
  return (text) => sorted.reduce((masked, spelling) => masked.replaceAll(spelling, mask(spelling)), text);
}
