import { expect, test } from "vitest";
import { completedValue } from "../../src/mock/service/completed-value.js";

const never = () => false;

test("adds the fields that are required and lacking, however deep, and no other", () => {
  const sample = {
    id: "id 1",
    owner: { name: "name 1" },
    parts: { left: false, right: 0 },
    anything: null,
  };

  expect(completedValue({ id: "1", own: true, owner: {} }, [sample], never)).toEqual({
    id: "1",
    own: true,
    owner: { name: "name 1" },
    parts: { left: false, right: 0 },
    anything: null,
  });
});

test("completes a value by the alternative that it is of", () => {
  const samples = [
    { status: "queued", result: null, queuedAt: "queuedAt 1" },
    { status: "succeeded", result: { theme: "theme 1" }, succeededAt: "succeededAt 1" },
  ];
  const isValid = (value: unknown) => {
    const { status, ...fields } = Object(value);
    return `${status}At` in fields;
  };

  expect(completedValue({ status: "succeeded", result: {} }, samples, isValid)).toEqual({
    status: "succeeded",
    result: { theme: "theme 1" },
    succeededAt: "succeededAt 1",
  });
  const lost = { status: "lost", result: null };
  expect(completedValue(lost, samples, isValid)).toBe(lost);
  expect(completedValue(lost, [], isValid)).toBe(lost);
});

test.each([[null], ["text"], [[{}]], [[]], [{ list: [{}] }]])("leaves %j as it is", (value) => {
  expect(completedValue(value, [{ list: [{ name: "name 1" }] }], never)).toBe(value);
});

test("gives each value a copy of what it lacks", () => {
  const sample = { owner: { name: "name 1" } };
  const [one, other] = [{}, {}].map((value) => completedValue(value, [sample], never)) as (typeof sample)[];
  Object.assign(one?.owner ?? {}, { name: "changed" });
  expect([sample, other]).toEqual([{ owner: { name: "name 1" } }, { owner: { name: "name 1" } }]);
});
