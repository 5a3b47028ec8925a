import { expect, test } from "vitest";
import { completedValue } from "../../src/mock/service/completed-value.js";

test("adds the fields that are required and lacking, however deep, and no other", () => {
  const sample = {
    id: "id 1",
    owner: { name: "name 1" },
    parts: { left: false, right: 0 },
    anything: null,
  };

  expect(completedValue(sample, { id: "1", own: true, owner: {} })).toEqual({
    id: "1",
    own: true,
    owner: { name: "name 1" },
    parts: { left: false, right: 0 },
    anything: null,
  });
});

test("gives a value the type that it has by the document", () => {
  const sample = { cost: "cost 1", owner: { name: "name 1" }, result: { device: "x" }, given: null };
  const value = { cost: 10, owner: "me", result: null, given: 7 };

  expect(completedValue(sample, value)).toEqual({
    cost: "10",
    owner: { name: "name 1" },
    result: null,
    given: 7,
  });
});

test.each([[null], [{ list: [{}] }], [{ list: [], own: "text" }]])("leaves %j as it is", (value) => {
  expect(completedValue({ list: [{ name: "name 1" }] }, value)).toBe(value);
});

test("gives each value a copy of what it lacks", () => {
  const sample = { owner: { name: "name 1" } };
  const [one, other] = [{}, {}].map((value) => completedValue(sample, value)) as (typeof sample)[];
  Object.assign(one?.owner ?? {}, { name: "changed" });
  expect([sample, other]).toEqual([{ owner: { name: "name 1" } }, { owner: { name: "name 1" } }]);
});
