import { expect, test } from "vitest";
import { oddNights } from "./nights.js";
import { proposals } from "./proposals.js";

test("a maintainer reads in the pull request, or in the log, what came on an odd night", async () => {
  const { text, versions } = await proposals(oddNights);
  expect(versions).toEqual(["0.3.0", "0.3.0"]);
  await expect(text).toMatchFileSnapshot("nights-odd.md");
}, 600_000);
