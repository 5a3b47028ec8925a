import { ConfigurationError, CreateInterruptedError, ScreenshotSetsError } from "screenshot-sets";
import { stepSet } from "screenshot-sets/durable";
import { createMock, type Mock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { StoredSet } from "../helpers/stored-set.js";

const sent = (mock: Mock, operation: "createScreenshots" | "getJob") => mock.requests({ operation }).length;

test("a set whose create was recorded and whose end was not is never sent again", async () => {
  const mock = createMock();
  const set = await StoredSet.of(mock);
  set.state = { version: 1, step: "sending", at: Date.UTC(2026, 0, 1) };
  for (let steps = 0; steps < 3; steps++) {
    const error = await rejection(set.step());
    expect(error).toBeInstanceOf(CreateInterruptedError);
    expect(error).toMatchObject({ charged: "maybe", jobId: undefined });
    expect(error.message).toContain("2026-01-01T00:00:00.000Z");
  }
  expect(sent(mock, "createScreenshots")).toBe(0);
  expect(set.saved).toEqual([]);
});

test("a record of a time that no date can hold is told without it", async () => {
  const set = await StoredSet.of(createMock());
  set.state = { version: 1, step: "sending", at: 1e20 };
  const error = await rejection(set.step());
  expect(error).toMatchObject({ name: "CreateInterruptedError", charged: "maybe" });
  expect(error.message).toContain("A create has been in flight and its end was never stored");
});

test.each([undefined, null, {}])(
  "an accepted set is looked at although its params are lost: %j",
  async (lost) => {
    const mock = createMock({ lifecycle: { queued: 1, running: 0, unit: "polls" } });
    const set = await StoredSet.of(mock);
    await set.step();
    set.params = lost as never;
    expect(await set.step()).toMatchObject({ status: "waiting" });
    expect(await set.step()).toMatchObject({ status: "succeeded" });
  },
);

test.each([
  ["another version", { version: 2, step: "sending", at: 0 }],
  ["another step", { version: 1, step: "done", at: 0 }],
  ["a job without an id", { version: 1, step: "accepted", at: 0, polls: 0 }],
  ["a job whose id leads elsewhere", { version: 1, step: "accepted", jobId: "..", at: 0, polls: 0 }],
  ["a time that is none", { version: 1, step: "accepted", jobId: "job_1", at: "now", polls: 0 }],
  ["no time", { version: 1, step: "sending" }],
  ["a count that is none", { version: 1, step: "accepted", jobId: "job_1", at: 0, polls: "1" }],
  ["an unknown version of what may have been charged", { version: "1", step: "sending", at: 0 }],
  ["text", "sending"],
  ["a list", []],
  ["nothing but a number", 0],
  ["false", false],
])("a state with %s is refused before anything is sent or saved", async (_, state) => {
  const mock = createMock();
  const set = await StoredSet.of(mock);
  const stepping = stepSet(set.client, { params: set.params, state: state as never }, set.save);
  await expect(stepping).rejects.toBeInstanceOf(ConfigurationError);
  expect([sent(mock, "createScreenshots"), sent(mock, "getJob"), set.saved]).toEqual([0, 0, []]);
});

test.each([
  ["no count of its looks", { version: 1, step: "accepted", jobId: "job_1" }],
  [
    "`null` for what is missing",
    {
      ...{ version: 1, step: "accepted", jobId: "job_1" },
      ...{ credits: null, polls: null, status: null, unfinishedAt: null },
    },
  ],
  ["what a later version adds", { version: 1, step: "accepted", jobId: "job_1", polls: 0, region: "eu" }],
])("an accepted set stored with %s is looked at", async (_, stored) => {
  const mock = createMock({ lifecycle: { queued: 1, running: 0, unit: "polls" } });
  const set = await StoredSet.of(mock);
  await set.step();
  set.state = { ...stored, at: Date.now() };
  expect(await set.step()).toMatchObject({ status: "waiting", state: { polls: 1, status: "queued" } });
  expect(await set.step()).toMatchObject({ status: "succeeded", job: { id: "job_1" } });
});

test("a record of a create is never sent again, whatever a database adds to it", async () => {
  const mock = createMock();
  const set = await StoredSet.of(mock);
  set.state = { version: 1, step: "sending", at: 0, jobId: null, polls: null, credits: null };
  expect(await rejection(set.step())).toMatchObject({ name: "CreateInterruptedError", charged: "maybe" });
  expect(sent(mock, "createScreenshots")).toBe(0);
});

test("null is a new set, as databases have no undefined", async () => {
  const mock = createMock();
  const set = await StoredSet.of(mock);
  await stepSet(set.client, { params: set.params, state: null }, set.save);
  expect(mock.credits.used).toBe(10);
});

const wrongArguments: [string, (set: StoredSet) => unknown[], string][] = [
  ["no set", ({ client, save }) => [client, undefined, save], "Expected the set to be an object"],
  ["null for a set", ({ client, save }) => [client, null, save], "Expected the set to be an object"],
  ["text for a set", ({ client, save }) => [client, "app_1", save], "Expected the set to be an object"],
  ["no `save`", ({ client, params }) => [client, { params }], "Expected `save` to be a function"],
  ["no client", ({ params, save }) => [undefined, { params }, save], "Expected `client` to be"],
  ["a mock for a client", ({ params, save }) => [createMock(), { params }, save], "Expected `client` to be"],
];

test.each(wrongArguments)("a step with %s is refused before anything is saved", async (_, given, message) => {
  const set = await StoredSet.of(createMock());
  const error = await rejection(stepSet(...(given(set) as Parameters<typeof stepSet>)));
  expect(error).toMatchObject({ name: "ConfigurationError", charged: "no" });
  expect(error.message).toContain(message);
  expect(set.saved).toEqual([]);
});

test("a set without parameters is refused, and stays a new one", async () => {
  const set = await StoredSet.of(createMock());
  const error = await rejection(stepSet(set.client, {} as never, set.save));
  expect(error).toMatchObject({ charged: "no" });
  expect(error).toBeInstanceOf(ScreenshotSetsError);
  expect(set.state).toBeUndefined();
});

test.each([
  ["minDelayMs", -1],
  ["maxDelayMs", Number.NaN],
  ["timeoutMs", -1],
  ["minDelayMs", 40_000],
  ["timeOutMs", 1],
])("the option %s of %d is refused before anything is saved", async (name, value) => {
  const set = await StoredSet.of(createMock());
  const error = await rejection(set.step({ options: { [name]: value } }));
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.charged).toBe("no");
  expect(error.message.toLowerCase()).toContain(name.toLowerCase());
  expect(set.saved).toEqual([]);
});
