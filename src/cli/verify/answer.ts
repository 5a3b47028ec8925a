import { ApiError, InvalidResponseError, type ScreenshotSetsError } from "../../index.js";
import { jobIdOf } from "../../request/answer-body.js";

/** What came of a request, the key aside. */
export interface Answer {
  /** Undefined if no answer came. */
  status: number | undefined;
  meaning: Meaning;
  /** Why it tells nothing of what was requested, as a sentence; undefined if it does. */
  silence: string | undefined;
  /** The parsed JSON, or else the text; undefined if it is empty or not whole. */
  value: unknown;
  isJson: boolean;
  /** Whether the answer nests too deep, so that `value` has only the upper part. */
  isTooDeep: boolean;
  /** What the client made of it; undefined for an acceptance. */
  error: ScreenshotSetsError | undefined;
}

type Meaning =
  | ("limited" | "out of order" | "accepted" | "unanswered")
  | ("about the key" | "refused" | "unclear");

const isSuccess = (status: number) => status >= 200 && status < 300;

/** What an answer means, by the first row that holds; and if it tells nothing of what was requested, why not. */
const meanings: readonly {
  is(status: number, isWhole: boolean): boolean;
  meaning: Meaning;
  silence?: string;
}[] = [
  { is: (status) => status === 429, meaning: "limited", silence: "The service limits requests" },
  { is: (status) => status >= 500, meaning: "out of order", silence: "The service is out of order" },
  { is: (status, isWhole) => isSuccess(status) && isWhole, meaning: "accepted" },
  // A create was accepted all the same.
  { is: isSuccess, meaning: "accepted", silence: "Nobody answers" },
  { is: (status, isWhole) => status === 408 || !isWhole, meaning: "unanswered", silence: "Nobody answers" },
  {
    is: (status) => status === 401 || status === 403,
    meaning: "about the key",
    silence: "The key in SCREENSHOT_SETS_API_KEY is refused",
  },
  // 421 is of a server that the request was not meant for.
  { is: (status) => status >= 400 && status !== 421, meaning: "refused" },
  { is: () => true, meaning: "unclear" },
];

export function answerOf(
  head: { status: number; headers: Headers } | undefined,
  clean: (text: string) => string,
  body: unknown,
  error?: ScreenshotSetsError,
): Answer {
  const { status } = head ?? {};
  const isWhole = !error || error instanceof ApiError || error instanceof InvalidResponseError;
  const row = meanings.find(({ is }) => is(status ?? 0, isWhole)) as (typeof meanings)[number];
  const silence = error && row.silence && `${row.silence}: ${error.message}`;
  const { value, isTooDeep } = cleaned(body, clean);
  const mediaType = head?.headers.get("content-type") ?? "";
  const isJson = typeof value === "string" ? /json/i.test(mediaType) : value !== undefined;
  return { status, meaning: row.meaning, silence, value, isJson, isTooDeep, error };
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

/** Whether an answer refuses a request or its key, so that nothing was charged. */
export const isRefusal = ({ meaning }: Answer): boolean =>
  meaning === "refused" || meaning === "about the key";

/** The job that an answer names, even if it is malformed. */
export function jobIdIn({ value, isJson, error }: Answer): string | undefined {
  return jobIdOf({ value, isJson, text: typeof value === "string" ? value : "" }) ?? error?.jobId;
}
