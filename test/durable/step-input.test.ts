import { ConfigurationError, CreateInterruptedError } from "screenshot-sets";
import { stepSet } from "screenshot-sets/durable";
import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { StoredSet } from "../helpers/stored-set.js";

test.each([
  [
    "",
    { at: Date.UTC(2026, 0, 1) },
    "has been in flight since 2026-01-01T00:00:00.000Z and its end was never",
  ],
  [", whatever a database adds", { at: 0, jobId: null, polls: null, credits: null }, "since 1970-01-01"],
])("a set whose create was recorded and whose end was not is never sent again%s", async (_, more, told) => {
  const set = await StoredSet.of();
  set.state = { version: 1, step: "sending", ...more };
  for (let steps = 0; steps < 3; steps++) {
    const error = await rejection(set.step());
    expect(error).toBeInstanceOf(CreateInterruptedError);
    expect(error).toMatchObject({ charged: "maybe", jobId: undefined });
    expect(error.message).toContain(told);
  }
  expect([set.creates, set.saved]).toEqual([0, []]);
});

test.each([
  ["another version", { version: 2, step: "sending", at: 0 }],
  ["another step", { version: 1, step: "done", at: 0, jobId: "job_1", polls: 0 }],
  ["a job without an id", { version: 1, step: "accepted", at: 0, polls: 0 }],
  ["a job whose id leads elsewhere", { version: 1, step: "accepted", jobId: "..", at: 0, polls: 0 }],
  ["a time that is none", { version: 1, step: "accepted", jobId: "job_1", at: "now", polls: 0 }],
  ["a count that is none", { version: 1, step: "accepted", jobId: "job_1", at: 0, polls: "1" }],
  ["a text", "sending"],
])("a state with %s is refused before anything is sent or saved", async (_, state) => {
  const set = await StoredSet.of();
  set.state = state;
  const error = await rejection(set.step());
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.message).toMatch(/^Expected `state` to be what `stepSet` saved/);
  expect([set.creates, set.looks, set.saved]).toEqual([0, 0, []]);
});

const missing = { credits: null, polls: null, status: null, unfinishedAt: null };

test.each([
  ["no count of its looks", {}],
  ["`null` for what is missing", missing],
  ["what a later version adds", { polls: 0, region: "eu" }],
])("an accepted set stored with %s is looked at, also without its parameters", async (_, stored) => {
  const set = await StoredSet.of(createMock({ lifecycle: { queued: 1, running: 0, unit: "polls" } }));
  await set.step();
  set.state = { version: 1, step: "accepted", jobId: "job_1", at: Date.now(), ...stored };
  set.params = undefined as never;
  expect(await set.step()).toMatchObject({ status: "waiting", state: { polls: 1, status: "queued" } });
  expect(await set.step()).toMatchObject({ status: "succeeded", job: { id: "job_1" } });
});

test("null is a new set, as databases have no undefined", async () => {
  const set = await StoredSet.of();
  set.state = null;
  await set.step();
  expect(set.creates).toBe(1);
});

type Arguments = (set: StoredSet) => unknown[];

const withOptions =
  (options: object): Arguments =>
  ({ client, params, save }) => [client, { params }, save, options];

test.each<[string, Arguments, string]>([
  ["no set", ({ client, save }) => [client, undefined, save], "Expected the set to be an object"],
  ["null for a set", ({ client, save }) => [client, null, save], "Expected the set to be an object"],
  ["no `save`", ({ client, params }) => [client, { params }], "Expected `save` to be a function"],
  ["no client", ({ params, save }) => [undefined, { params }, save], "Expected `client` to be a `Screen"],
  ["a bad number", withOptions({ timeoutMs: -1 }), "Expected `timeoutMs` to be"],
  ["delays that contradict", withOptions({ minDelayMs: 40_000 }), "Expected `minDelayMs` to be at most"],
  ["an unknown option", withOptions({ timeOutMs: 1 }), "`stepSet` has no option `timeOutMs`. Did you mean"],
])("a step with %s is refused before anything is saved", async (_, given, message) => {
  const set = await StoredSet.of();
  const error = await rejection(stepSet(...(given(set) as Parameters<typeof stepSet>)));
  expect(error).toMatchObject({ name: "ConfigurationError", charged: "no" });
  expect(error.message).toContain(message);
  expect(set.saved).toEqual([]);
});
