import { expect, test } from "vitest";
import { year } from "./nights.js";
import { proposals } from "./proposals.js";

test("a maintainer reads in the pull request of each release what it brings", async () => {
  const { text, versions } = await proposals(year);
  expect(versions).toEqual(["0.7.0", "0.7.0"]);
  await expect(text).toMatchFileSnapshot("nights-year.md");
}, 600_000);
