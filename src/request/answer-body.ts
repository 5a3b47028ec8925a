/** The body of an answer without secrets: parsed JSON where it is JSON, else text; nothing when it is empty. */
export interface Body {
  value: unknown;
  isJson: boolean;
  text: string;
}

/** Takes the secrets out of what an answer, or an error of `fetch`, says. */
export type Clean = <T>(value: T) => T;

/** Reads a body. What the cleaned text holds is clean, so that nobody has to walk through millions of values. */
export function readBody(text: string, clean: Clean): Body {
  const cleaned = clean(text);
  const parsed = parseJson(cleaned);
  if (parsed) return { value: parsed.value, isJson: true, text: cleaned };
  return { value: text.trim() === "" ? undefined : cleaned, isJson: false, text: cleaned };
}

function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The job that an answer names, be it odd or cut off: who paid for it can still wait for it. */
export function jobIdOf({ value, text }: Body): string | undefined {
  const own = (value as { jobId?: unknown } | null | undefined)?.jobId;
  if (typeof own === "string" && own !== "") return own;
  return Number.isSafeInteger(own) ? String(own) : jobIdIn(text);
}

/** The id of a job in a text that may break off: a string, else a number, whose digits parsing might lose. */
export function jobIdIn(text: string): string | undefined {
  let number: string | undefined;
  for (const { index, 0: name, 1: digits } of text.matchAll(/"jobId"\s*:\s*(?="|(\d+)\s*[,}])/g)) {
    const id = stringAt(text, index + name.length);
    if (id) return id;
    number ??= digits;
  }
  return number;
}

/** The JSON string that begins at a place of a text; undefined where none does, or it does not end. */
function stringAt(text: string, start: number): string | undefined {
  if (text[start] !== '"') return undefined;
  let end = start + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return parseJson(text.slice(start, end + 1))?.value as string | undefined;
}
