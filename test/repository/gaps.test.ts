import { expect, test } from "vitest";
import { gaps, onOneLine, readHandWritten } from "../../scripts/apply/hand-written.js";
import { repository } from "../helpers/repository.js";

/** How people write that the document leaves something open. */
const leftOpen =
  /[^.;:|]*(?:not documented|(?:is|are|be) undocumented|not document\b|documents (?:no|only)\b|has no (?:idempotency|list of)|lists only)[^.;:|]*/gi;

/** What holds whatever the document says. */
const alwaysTrue = [
  "where nothing is documented",
  "because the service does not document it",
  "which the service does not document",
  "The service does not document the fields of slides",
  "The number of slides of a narrative is not documented",
];

test("`generate` knows of every sentence by hand that the document leaves something open", async () => {
  const sentences = [...(await readHandWritten(repository))].flatMap(([file, text]) =>
    [...onOneLine(text).matchAll(leftOpen)].map(([sentence]) => `${file}: ${sentence.trim()}`),
  );
  expect(sentences.length).toBeGreaterThan(5);
  const unknown = sentences.filter(
    (sentence) =>
      !gaps.some(({ words }) => words.test(sentence)) &&
      !alwaysTrue.some((words) => sentence.includes(words)),
  );
  expect(unknown, "scripts/apply/hand-written.ts has no row for this").toEqual([]);
});

test("every row of the gaps is about something that is said", async () => {
  const texts = [...(await readHandWritten(repository)).values()].map(onOneLine);
  expect(gaps.filter(({ words }) => !texts.some((text) => words.test(text)))).toEqual([]);
});
