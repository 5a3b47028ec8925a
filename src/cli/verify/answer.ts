import { ApiError, InvalidResponseError, type ScreenshotSetsError } from "../../index.js";
import { jobIdOf } from "../../request/answer-body.js";

/** What came of a request, the key aside. */
export interface Answer {
  /** Undefined if no answer came. */
  status: number | undefined;
  meaning: Meaning;
  /** The parsed JSON, or else the text; undefined if it is empty or not whole. */
  value: unknown;
  isJson: boolean;
  /** Whether the answer nests too deep, so that `value` has only the upper part. */
  isTooDeep: boolean;
  /** What the client made of it; undefined for an acceptance. */
  error: ScreenshotSetsError | undefined;
}

/** What an answer means, by the first row that holds; and if it tells nothing of what was requested, why not. */
const meanings = [
  { is: (status) => status === 429, meaning: "limited", silence: "The service limits requests" },
  { is: (status) => status >= 500, meaning: "out of order", silence: "The service is out of order" },
  { is: (status) => status >= 200 && status < 300, meaning: "accepted" },
  { is: (status, isWhole) => status === 408 || !isWhole, meaning: "unanswered", silence: "Nobody answers" },
  {
    is: (status) => status === 401 || status === 403,
    meaning: "about the key",
    silence: "The key in SCREENSHOT_SETS_API_KEY is refused",
  },
  // 421 is of a server that the request was not meant for.
  { is: (status) => status >= 400 && status !== 421, meaning: "refused" },
  { is: () => true, meaning: "unclear" },
] as const satisfies {
  is(status: number, isWhole: boolean): boolean;
  meaning: string;
  silence?: string;
}[];

type Meaning = (typeof meanings)[number]["meaning"];

/** Whether an answer came to its end, if it came at all. */
const isWhole = (error: ScreenshotSetsError | undefined): boolean =>
  error === undefined || error instanceof ApiError || error instanceof InvalidResponseError;

export function answerOf(
  head: { status: number; headers: Headers } | undefined,
  clean: (text: string) => string,
  body: unknown,
  error?: ScreenshotSetsError,
): Answer {
  const { status } = head ?? {};
  const row = meanings.find(({ is }) => is(status ?? 0, isWhole(error))) as (typeof meanings)[number];
  const { value, isTooDeep } = cleaned(body, clean);
  const mediaType = head?.headers.get("content-type") ?? "";
  const isJson = typeof value === "string" ? /json/i.test(mediaType) : value !== undefined;
  return { status, meaning: row.meaning, value, isJson, isTooDeep, error };
}

/** Deeper than anything that is meant to be read, and far less than what a function that calls itself can walk. */
const mostLevels = 100;

/** The upper part of a value, with its texts cleaned. */
function cleaned(whole: unknown, clean: (text: string) => string) {
  let isTooDeep = false;
  const copy = (value: unknown, level: number): unknown => {
    if (typeof value === "string") return clean(value);
    if (typeof value !== "object" || value === null) return value;
    if (level === mostLevels) {
      isTooDeep = true;
      return null;
    }
    if (Array.isArray(value)) return value.map((part) => copy(part, level + 1));
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [clean(name), copy(part, level + 1)]),
    );
  };
  return { value: copy(whole, 0), isTooDeep };
}

/** Whether an answer is that of a service which takes the key. */
export const takesKey = ({ meaning, isJson }: Answer): boolean =>
  meaning === "refused" || (meaning === "accepted" && isJson);

/** Whether an answer refuses a request or its key, so that nothing was charged. */
export const isRefusal = ({ meaning }: Answer): boolean =>
  meaning === "refused" || meaning === "about the key";

/**
 * Why an answer tells nothing of what was requested, as a sentence; undefined if it does.
 *
 * @param isKeyed whether the request needs that the key is taken
 */
export function silenceOf({ meaning, error }: Answer, isKeyed: boolean): string | undefined {
  if (error === undefined || (meaning === "about the key" && !isKeyed)) return undefined;
  const told = isWhole(error) || meaning !== "accepted" ? meaning : "unanswered";
  const row = meanings.find((one) => one.meaning === told);
  return row && "silence" in row ? `${row.silence}: ${error.message}` : undefined;
}

/** The job that an answer names, even if it is malformed. */
export function jobIdIn({ value, isJson, error }: Answer): string | undefined {
  return jobIdOf({ value, isJson, text: typeof value === "string" ? value : "" }) ?? error?.jobId;
}
