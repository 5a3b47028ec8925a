import { join } from "node:path";
import { fileStore } from "screenshot-sets/batch";
import { memoryStore, type SetStore, stepSet } from "screenshot-sets/durable";
import { createMock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { SetScene } from "../helpers/set-scene.js";
import { temporaryFolder } from "../helpers/temporary-folder.js";

const order = { style: { tone: "calm", on: true }, tags: ["a", { b: 1, c: 2 }], note: null };

/** The same, and what differs, as another program may write it. */
const versions: [given: object, isTheSame: boolean][] = [
  [{ note: null, tags: ["a", { c: 2, b: 1.0 }], style: { on: true, tone: "calm", more: undefined } }, true],
  [{ ...order, tags: [{ b: 1, c: 2 }, "a"] }, false],
  [{ ...order, style: { tone: "calm" } }, false],
  [{ ...order, style: { ...order.style, more: null } }, false],
  [{ ...order, note: undefined }, false],
  [{ ...order, tags: { 0: "a", 1: { b: 1, c: 2 } } }, false],
];

test.each(versions)("a set is stepped with %j as the one that was ordered: %s", async (given, isTheSame) => {
  const set = await SetScene.of(createMock({ lifecycle: "manual" }));
  const params = { appId: set.params.appId, device: "iphone-69" } as const;
  const step = (more: object) =>
    stepSet(set.client, { key: "order-7", params: { ...params, ...more }, store: set.store }).then(
      ({ status }) => status,
      ({ name }) => name,
    );
  expect(await step(order)).toBe("waiting");
  expect(await step(given)).toBe(isTheSame ? "waiting" : "ConfigurationError");
  expect(set.creates).toBe(1);
});

const stores: [name: string, open: () => SetStore][] = [
  ["memoryStore", memoryStore],
  ["fileStore", () => fileStore(join(temporaryFolder(), "sets.json"))],
];
const saves = stores.flatMap(([name, open]) => versions.map((version) => [name, ...version, open] as const));

test.each(saves)(
  "%s saves in place of %j what was saved otherwise: %s",
  async (_, previous, isTheSame, open) => {
    const store = open();
    await store.save("a", order, undefined);
    expect(await store.save("a", { next: true }, previous)).toBe(isTheSame);
    expect(await store.load("a")).toEqual(isTheSame ? { next: true } : order);
    await store.close?.();
  },
);

/** As `jsonb` writes names: shorter ones first. */
const asJsonb = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null), (_, part) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    const names = Object.keys(part).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    return Object.fromEntries(names.map((name) => [name, part[name]]));
  });

test("a set whose record comes back with its names in another order goes on", async () => {
  const set = await SetScene.of();
  const store = { ...set.store, load: (key: string) => asJsonb(set.store.load(key)) };
  const params = { ...set.params, ...order };
  const step = () => stepSet(set.client, { key: "order-7", params, store });
  expect([(await step()).status, (await step()).status]).toEqual(["waiting", "succeeded"]);
  expect(set.saved).toEqual(["sending", "accepted", "ended"]);
});
