import type { ApiError } from "screenshot-sets";
import { expect, test } from "vitest";
import { getJob } from "../../src/generated/operations.js";
import { interpret } from "../../src/request/answer.js";
import { redact } from "../../src/secrets/redact.js";

const secret = 'sk_live_Canary/"<0123456789';
const plain = "sk_live_Canary0123456789abcdef";
const withBackslash = "sk_live\\Canary0123456789abcdef";
const bytes = 5_000_000;
const filled = (unit: string) => unit.repeat(bytes / unit.length);
const inUrl = (text: string) =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join("");

/** Answers that were made to be slow to look through, by someone who may know the key. */
const hostile: Record<string, string> = {
  backslashes: filled("\\"),
  "backslashes behind the key's first character": `s${filled("\\")}`,
  "backslashes where the key has one": `sk_live${filled("\\")}`,
  "backslashes behind each of its first characters": filled("s\\"),
  "halves of escapes in JSON": filled("\\u00"),
  "escapes in JSON of its first character": filled("\\u0073"),
  "escapes in URLs": filled("%73"),
  "halves of escapes in URLs": filled("%4"),
  ampersands: filled("&"),
  "a number in HTML without end": `&#${filled("0")}`,
  "numbers in HTML": filled("&#00000115;"),
  "its first character": `%${filled("s")}`,
  "all of it but its end": `%${filled(plain.slice(0, -1))}`,
  "all of it but its end, escaped": filled(inUrl(plain.slice(0, -1))),
};

test.each(Object.entries(hostile))(
  "cleaning a text costs hardly more than parsing it as JSON: %s",
  (_, text) => {
    const json = JSON.stringify(text);
    for (const secrets of [[plain], [secret], [withBackslash]]) {
      const cleanMs = fastestMs(() => redact(text, secrets));
      // Measured at most three times as much; where the search is not linear it is far more.
      expect(cleanMs).toBeLessThan(8 * fastestMs(() => JSON.parse(json)));
    }
  },
);

test.each([
  ["numbers", "1,"],
  ["lists", "[],"],
  ["objects", '{"a":"b"},'],
])("reading an answer of many %s that repeats the key costs hardly more than parsing it", (_, unit) => {
  const text = `[${unit.repeat(bytes / 5 / unit.length)}"${plain}"]`;
  const call = { operation: getJob, method: "GET", path: "/", timeoutMs: 1, jobId: undefined };
  const verdict = { again: false, charged: "no" } as const;
  const outcome = { kind: "answered", status: 404, headers: new Headers(), text } as const;
  const read = () =>
    interpret(outcome, { call, attempts: 1, verdict }, (value) => redact(value, [plain])) as ApiError;

  expect((read().body as unknown[]).at(-1)).toBe("***");
  // A look at each value, one by one, costs a hundred times as much.
  expect(fastestMs(read)).toBeLessThan(8 * fastestMs(() => JSON.parse(text)));
});

function fastestMs(run: () => unknown): number {
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return Math.min(...times);
}
