/** Whether a key is a secret. Shorter ones, as tests use, are not: masking every `k` in a text would only garble it. */
export const isSecret = (key: string): boolean => key.length >= 8;

/**
 * Returns a function that masks each secret key in a text, wherever it stands in one of its spellings. The longest come
 * first, because one key may begin with another. A regular expression of them would fail if a key is long.
 */
export function masker(
  keys: readonly string[],
  spellings: (key: string) => readonly string[],
  mask: (spelling: string) => string,
): (text: string) => string {
  const all = new Set(keys.filter(isSecret).flatMap(spellings));
  const sorted = [...all].sort((one, other) => other.length - one.length);
  return (text) => sorted.reduce((masked, spelling) => masked.replaceAll(spelling, mask(spelling)), text);
}

/** A key as a string of JSON writes it. */
export const inJson = (key: string): string => JSON.stringify(key).slice(1, -1);
