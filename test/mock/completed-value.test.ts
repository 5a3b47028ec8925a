import { expect, test } from "vitest";
import { completedValue } from "../../src/mock/service/completed-value.js";

const sample = {
  id: "id 1",
  owner: { name: "name 1" },
  parts: { left: false, right: 0 },
  list: [{}],
  any: null,
};

test.each<[lacking: string, value: object, completed: object]>([
  ["everything", {}, sample],
  [
    "fields of fields",
    { own: true, owner: {}, parts: { left: true } },
    { ...sample, own: true, parts: { left: true, right: 0 } },
  ],
  ["types", { id: 10, owner: "me", parts: [], any: 7 }, { ...sample, id: "10", any: 7 }],
  [
    "nothing, with null",
    { id: null, owner: null, parts: null, list: null, any: 7 },
    { id: null, owner: null, parts: null, list: null, any: 7 },
  ],
  ["nothing, with its own elements", { ...sample, list: [] }, { ...sample, list: [] }],
])("an answer that lacks %s is completed by the document", (_, value, completed) => {
  expect(completedValue(sample, value)).toEqual(completed);
});

test("gives each value a copy of what it lacks, and no copy where nothing is lacking", () => {
  const [one, other] = [completedValue(sample, {}), completedValue(sample, {})] as [
    typeof sample,
    typeof sample,
  ];
  one.owner.name = "changed";
  expect(other.owner.name).toBe("name 1");
  expect(completedValue(sample, other)).toBe(other);
});
