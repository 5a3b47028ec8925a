import { expect, test } from "vitest";
import * as z from "zod/mini";
import { completedValue } from "../../src/mock/service/completed-value.js";

test("adds the fields that are required and lacking, however deep, and no other", () => {
  const owner = z.looseObject({ name: z.string(), nickname: z.optional(z.string()) });
  const schema = z.looseObject({
    id: z.string(),
    owner: z.optional(z.lazy(() => owner)),
    other: z.optional(owner),
    parts: z.intersection(z.looseObject({ left: z.boolean() }), z.looseObject({ right: z.number() })),
    anything: z.unknown(),
  });

  const value = completedValue(schema, { id: "1", own: true, owner: {} });

  expect(value).toEqual({
    id: "1",
    own: true,
    owner: { name: "name 1" },
    parts: { left: false, right: 0 },
    anything: null,
  });
  expect(z.safeParse(schema, value).success).toBe(true);
});

test("completes a value by the alternative that it is of", () => {
  const state = (status: string, result: z.ZodMiniType) =>
    z.looseObject({ status: z.literal(status), result, [`${status}At`]: z.string() });
  const result = z.looseObject({ theme: z.string() });
  const schema = z.union([state("queued", z.null()), state("succeeded", result)]);

  expect(completedValue(schema, { status: "succeeded", result: {} })).toEqual({
    status: "succeeded",
    result: { theme: "theme 1" },
    succeededAt: "succeededAt 1",
  });
  expect(completedValue(schema, { status: "lost", result: null })).toEqual({ status: "lost", result: null });
});

test.each([[null], ["text"], [[{}]], [[]]])("leaves %j as it is", (value) => {
  const schema = z.nullable(z.looseObject({ list: z.array(z.looseObject({ name: z.string() })) }));
  expect(completedValue(schema, value)).toEqual(value);
});

test("leaves what a list holds as it is", () => {
  const schema = z.looseObject({ list: z.array(z.looseObject({ name: z.string() })) });
  expect(completedValue(schema, { list: [{}] })).toEqual({ list: [{}] });
});
