import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { createDefaultSlide } from "../../src/mock/service/default-slide.js";
import { describedValue, memberOf } from "../../src/mock/service/described-value.js";
import { asking } from "./ask.js";

/** The answer of a document that describes slides, as it is generated. */
function answerWith(slide: z.core.$ZodType) {
  const answer = z.looseObject({
    result: z.nullable(z.looseObject({ slides: z.array(slide as z.ZodMiniType) })),
  });
  return memberOf(answer, ["result", "slides"]) as z.core.$ZodType;
}

test("makes slides of an index and a caption while the document describes none", async () => {
  const { createJob, look } = asking(createMock({ lifecycle: "instant" }));

  const { body } = await look(await createJob({ count: 2 }));

  expect(body.result.slides).toEqual([
    { index: 0, caption: "Slide 1 of 2" },
    { index: 1, caption: "Slide 2 of 2" },
  ]);
});

test("makes slides that have every field that a document describes", () => {
  const schema = z.looseObject({
    index: z.int(),
    headline: z.string(),
    subline: z.optional(z.nullable(z.string())),
    layout: z.lazy(() => z.looseObject({ isBleed: z.boolean(), colors: z.array(z.string()) })),
    image: z.intersection(z.looseObject({ url: z.string() }), z.looseObject({ width: z.number() })),
    weight: z.union([z.unknown(), z.number()]),
    anything: z.unknown(),
  });

  const slide = describedValue(answerWith(schema), "slide", 1);

  expect(slide).toEqual({
    index: 1,
    headline: "headline 2",
    subline: "subline 2",
    layout: { isBleed: false, colors: [] },
    image: { url: "url 2", width: 1 },
    weight: 1,
    anything: null,
  });
  expect(z.safeParse(schema, slide).success).toBe(true);
});

test("finds what slides are made of behind references, alternatives and parts", () => {
  const slide = z.looseObject({ headline: z.string() });
  const reference = z.lazy(() => z.looseObject({ slides: z.array(z.lazy(() => slide)) }));
  const parts = z.intersection(z.looseObject({ device: z.string() }), reference);
  const answer = z.union([z.null(), z.looseObject({ result: z.optional(parts) })]);
  const make = createDefaultSlide(() => answer);
  const set = { count: 2, device: "iphone-69", jobId: "job_1", appId: "app_1" };

  expect([0, 1].map((index) => make({ ...set, index }))).toEqual([
    { headline: "headline 1" },
    { headline: "headline 2" },
  ]);
});

test.each([
  ["no result", z.looseObject({})],
  ["a result that is no object", z.looseObject({ result: z.string() })],
  ["slides without fields", z.looseObject({ result: z.looseObject({ slides: z.array(z.unknown()) }) })],
])("makes slides of an index and a caption where the document has %s", (_, answer) => {
  const make = createDefaultSlide(() => answer);
  const slide = make({ index: 0, count: 2, device: "iphone-69", jobId: "job_1", appId: "app_1" });
  expect(slide).toEqual({ index: 0, caption: "Slide 1 of 2" });
});

test("comes to an end with slides that contain slides", () => {
  const schema: z.ZodMiniType = z.looseObject({ title: z.string(), next: z.optional(z.lazy(() => schema)) });

  const slide = describedValue(answerWith(schema), "slide", 0);

  expect(z.safeParse(schema, slide).success).toBe(true);
});
