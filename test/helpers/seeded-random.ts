import { beforeEach, vi } from "vitest";
import { randomFrom } from "../../bench/waiting/random.js";

// A set-up file: the jitter of polls and retries, and whatever else is drawn by `Math.random`, comes from a seed.

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

beforeEach(({ onTestFailed }) => {
  vi.spyOn(Math, "random").mockImplementation(randomFrom(seed));
  // biome-ignore lint/suspicious/noConsole: whoever runs the tests reads it
  onTestFailed(() => console.error(`Random numbers were drawn with TEST_SEED=${seed}.`));
});
