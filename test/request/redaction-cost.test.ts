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

// A search that goes back over what it has seen takes minutes for these, and the tests run out of time.
test.each(Object.entries(hostile))("a text is cleaned to its end: %s", (_, text) => {
  for (const key of [plain, secret, withBackslash]) {
    const cleaned = redact(`${text} ${key}.`, [key]);
    expect(cleaned.slice(-5)).toBe(" ***.");
    expect(cleaned).not.toContain(key);
  }
});

test("the values of an answer that repeats the key are not looked through one by one", () => {
  const text = `[${"1,".repeat(bytes / 5)}"${plain}"]`;
  const known = { jobId: undefined, idempotencyKey: undefined };
  const call = { operation: getJob, method: "GET", path: "/", timeoutMs: 1, ...known };
  const verdict = { again: false, charged: "no" } as const;
  const outcome = { kind: "answered", status: 404, headers: new Headers(), text } as const;
  const cleaned: unknown[] = [];
  const clean = <Value>(value: Value) => {
    cleaned.push(value);
    return redact(value, [plain]);
  };

  const error = interpret(outcome, { call, attempts: 1, verdict }, clean) as ApiError;

  expect((error.body as unknown[]).at(-1)).toBe("***");
  expect(cleaned.filter((value) => Array.isArray(value))).toEqual([]);
});
