import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { asking } from "./ask.js";

test("makes slides of an index and a caption while the document describes none", async () => {
  const { createJob, look } = asking(createMock({ lifecycle: "instant" }));

  const { body } = await look(await createJob({ count: 2 }));

  expect(body.result.slides).toEqual([
    { index: 0, caption: "Slide 1 of 2" },
    { index: 1, caption: "Slide 2 of 2" },
  ]);
});
