/** The body of an answer, without secrets. `value` is the parsed JSON, or else the text; `undefined` if it is empty. */
export interface Body {
  value: unknown;
  isJson: boolean;
  text: string;
}

/** Removes secrets from a part of an answer, or from an error of `fetch`. */
export type Clean = <T>(value: T) => T;

/** Reads a body. The text is cleaned before it is parsed, so that the parsed values need no cleaning. */
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

/**
 * The job that an answer names, even if the answer is malformed or cut off, so that the caller can wait for it. What a
 * whole refusal or failure holds somewhere inside may be another job.
 */
export function jobIdOf({ value, isJson, text }: Body, status = 200): string | undefined {
  const own = (value as { jobId?: unknown } | null | undefined)?.jobId;
  if (typeof own === "string" && own !== "") return own;
  if (Number.isSafeInteger(own)) return String(own);
  return own === undefined && isJson && status >= 300 ? undefined : jobIdIn(text);
}

/** The job id in a text that may be cut off: a string, or else a number, whose digits parsing might change. */
export function jobIdIn(text: string): string | undefined {
  let number: string | undefined;
  for (const { index, 0: name, 1: digits } of text.matchAll(/"jobId"\s*:\s*(?="|(\d+)\s*[,}])/g)) {
    const id = stringAt(text, index + name.length);
    if (id) return id;
    number ??= digits;
  }
  return number;
}

/** The JSON string that starts at an index of a text; `undefined` if there is none, or if it is cut off. */
function stringAt(text: string, start: number): string | undefined {
  if (text[start] !== '"') return undefined;
  let end = start + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return parseJson(text.slice(start, end + 1))?.value as string | undefined;
}
