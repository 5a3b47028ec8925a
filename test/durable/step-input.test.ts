import { memoryStore, stepSet } from "screenshot-sets/durable";
import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { SetScene } from "../helpers/set-scene.js";

const paid = { version: 2, step: "accepted", jobId: "job_1", at: 0, polls: 0 };

test.each([
  ["no version", { ...paid, version: undefined }],
  ["another version", { ...paid, version: 3 }],
  ["a job without an id", { ...paid, jobId: undefined }],
  ["a job whose id leads elsewhere", { ...paid, jobId: ".." }],
  ["a time that is none", { ...paid, at: "now" }],
  ["a count that is none", { ...paid, polls: "1" }],
  ["a sum that is none", { ...paid, waitedMs: "1" }],
  ["a last look that is none", { ...paid, unfinishedAt: "now" }],
  ["an end without a job", { ...paid, step: "ended" }],
  ["an end of no job", { ...paid, step: "ended", jobId: "", job: { status: "succeeded" } }],
  ["an end that is none", { ...paid, step: "ended", job: { status: "queued" } }],
  ["no state but a text", "sending"],
])("a state with %s is refused before anything is sent or saved", async (_, state) => {
  const set = await SetScene.of();
  set.state = state;
  const error = await rejection(set.step());
  expect(error).toMatchObject({ name: "ConfigurationError", charged: "no" });
  expect(error.message).toMatch(/^Expected `state` to be what `stepSet` saved, in version 2/);
  expect([set.creates, set.looks, set.saved]).toEqual([0, 0, []]);
});

test.each([
  ["a text", "text"],
  ["a list", []],
  ["one of version 1", { version: 1 }],
  ["one without parameters", { params: null }],
  ["one with an earlier order that is none", { earlier: [{}] }],
  ["one with earlier orders that are no list", { earlier: {} }],
])("a stored value that is %s is refused before anything is sent or saved", async (_, value) => {
  const set = await SetScene.of();
  const stored = { version: 2, params: set.params, state: paid };
  const load = () => (typeof value === "string" || Array.isArray(value) ? value : { ...stored, ...value });
  const error = await rejection(set.step({ store: { ...set.store, load } }));
  expect(error).toMatchObject({ name: "ConfigurationError", charged: "no" });
  expect(error.message).toMatch(/what a step saved, in version 2|what `stepSet` saved, in version 2/);
  expect([set.creates, set.looks, set.saved]).toEqual([0, 0, []]);
});

test.each([
  [{ device: "ipad-pro" }, '"order-7" was ordered with other parameters before (device)'],
  [{ device: "ipad-pro", appId: "app_2" }, "Give the changed set another key."],
  [{ appId: "app_2" }, 'pass "app_1", that of the first run.'],
  [{ count: undefined }, "(count)"],
  [{ count: 5n }, "(appId, device, count)"],
  [{ captionStyle: "aso-expert" }, "(captionStyle)"],
])("a set that was ordered with other parameters than %o is refused", async (changed, message) => {
  const set = await SetScene.of();
  await set.step();
  set.params = { ...set.params, ...changed } as never;
  const error = await rejection(set.step());
  expect(error).toMatchObject({ name: "ConfigurationError", message: expect.stringContaining(message) });
  expect([set.creates, set.looks]).toEqual([1, 0]);
});

test.each([{ count: 5n }, undefined])(
  "parameters that no record can hold fail like others: %o",
  async (changed) => {
    const set = await SetScene.of();
    set.params = (changed && { ...set.params, ...changed }) as never;
    const { status, error } = await set.step();
    expect([status, error?.name, set.saved]).toEqual(["failed", "InvalidRequestError", []]);
  },
);

test("a set that was ordered from another service is refused with both addresses and what to do", async () => {
  const set = await SetScene.of();
  await set.step();
  const baseUrl = "https://service.example/api/v1";
  const error = await rejection(set.step({ client: set.client.withOptions({ baseUrl }) }));
  expect(error.name).toBe("ConfigurationError");
  expect(error.message).toContain(
    `from ${set.mock.clientOptions.baseUrl}, and the client's address is ${baseUrl}`,
  );
  expect(error.message).toMatch(/Use another state for another service; if the service has moved, change/);
});

const missing = { credits: null, waitedMs: null, status: null, unfinishedAt: null };

test.each([
  ["`null` for what is missing", missing],
  ["what a later version adds", { region: "eu" }],
])("an accepted set stored with %s is looked at, also without its parameters", async (_, stored) => {
  const { client } = await SetScene.of(createMock({ lifecycle: { queued: 1, running: 0, unit: "polls" } }));
  const store = memoryStore();
  const { jobId } = await client.screenshots.create({ appId: "app_1", device: "iphone-69" });
  let state: unknown = { version: 2, step: "accepted", jobId, at: Date.now(), polls: 0, ...stored };
  store.save("a", state, undefined);
  const save = (next: unknown, previous: unknown) => store.save("a", next, previous);
  const step = async () => {
    const result = await stepSet(client, { state } as never, save);
    state = result.state;
    return result;
  };
  expect(await step()).toMatchObject({ status: "waiting", state: { polls: 1, status: "queued" } });
  expect(await step()).toMatchObject({ status: "succeeded", jobId });
  expect(store.load("a")).toMatchObject({ step: "ended" });
});

test("`null` is a new set, as databases have no undefined, and is stored again as it was", async () => {
  const { client, mock, params } = await SetScene.of();
  mock.fault({ status: 422 }, { operation: "createScreenshots" });
  const saves: unknown[] = [];
  await stepSet(client, { params, state: null }, (...save) => saves.push(save));
  expect(saves).toEqual([
    [expect.objectContaining({ step: "sending" }), null],
    [null, expect.objectContaining({ step: "sending" })],
  ]);
});

test("a store that is given is neither opened nor closed, and keeps what it keeps besides", async () => {
  const set = await SetScene.of();
  const never = () => expect.fail("not a step's");
  const store = { ...set.store, open: never, close: never, list: never };
  set.mock.fault("reset", { operation: "createScreenshots" });
  await set.step({ store });
  const earlier = [{ version: 2, step: "uncertain", at: 0 }];
  const record = { ...set.record, state: undefined, earlier };
  const withEarlier = memoryStore();
  withEarlier.save(set.key, record, undefined);
  await set.step({ store: withEarlier });
  expect(withEarlier.load(set.key)).toMatchObject({ state: { step: "accepted" }, earlier });
});

type Arguments = (set: SetScene) => unknown[];

const withOptions =
  (options: object): Arguments =>
  ({ client, params, key, store }) => [client, { key, params, store }, options];

test.each<[string, Arguments, string]>([
  ["no set", ({ client }) => [client, undefined], "Expected the set to be an object"],
  ["null for a set", ({ client }) => [client, null], "Expected the set to be an object"],
  ["no `save`", ({ client, params }) => [client, { params }], "Expected `save` to be a function"],
  ["a key and neither", ({ client, params }) => [client, { key: "a", params }], "Expected `store` to be an"],
  [
    "no store",
    ({ client, params }) => [client, { key: "a", params, store: undefined }],
    "Expected `store` to be an",
  ],
  [
    "half a store",
    ({ client, params }) => [client, { key: "a", params, store: { load() {} } }],
    "Expected `store` to",
  ],
  ["no key", ({ client, params, store }) => [client, { params, store }], "Expected `key` to be a string"],
  [
    "an empty key",
    ({ client, params, store }) => [client, { key: "", params, store }],
    "Expected `key` to be a",
  ],
  [
    "no client",
    ({ params, key, store }) => [undefined, { params, key, store }],
    "Expected `client` to be a `Screen",
  ],
  [
    "no client but a mock",
    ({ mock, params, key, store }) => [mock, { params, key, store }],
    "Expected `client` to be",
  ],
  ["a `save` beside a store", withOptions((() => {}) as object), "Expected"],
  ["a bad number", withOptions({ timeoutMs: -1 }), "Expected `timeoutMs` to be"],
  ["a signal that is none", withOptions({ signal: {} }), "Expected `signal` to be an AbortSignal"],
  ["delays that contradict", withOptions({ minDelayMs: 40_000 }), "Expected `minDelayMs` to be at most"],
  ["an unknown option", withOptions({ timeOutMs: 1 }), "`stepSet` has no option `timeOutMs`. Did you mean"],
])("a step with %s is refused before anything is saved", async (_, given, message) => {
  const set = await SetScene.of();
  const error = await rejection(stepSet(...(given(set) as Parameters<typeof stepSet>)));
  expect(error).toMatchObject({ name: "ConfigurationError", charged: "no" });
  expect(error.message).toContain(message);
  expect([set.creates, set.saved]).toEqual([0, []]);
});
