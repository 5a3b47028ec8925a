import { expect, test } from "vitest";
import { lifecycleWords, readLifecycle } from "../../src/mock/lifecycle-words.js";

test.each([
  ["instant", "instant"],
  ["manual", "manual"],
  ["2p,3p", { queued: 2, running: 3, unit: "polls" }],
  ["2s,0.25s", { queued: 2000, running: 250, unit: "ms" }],
])("%s is read as a lifecycle, which is written like that again", (words, lifecycle) => {
  expect(readLifecycle(words)).toEqual(lifecycle);
  expect(lifecycleWords(readLifecycle(words))).toBe(words);
});

test.each(["", "soon", "2p", "2p,3s", "-1p,3p", "2.5p,3p", "1e3s,2s"])(
  "%j stands for no lifecycle",
  (words) => {
    expect(() => readLifecycle(words)).toThrow(RangeError);
  },
);
