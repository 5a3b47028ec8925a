import { AsyncLocalStorage } from "node:async_hooks";
import { expect, test } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { everySecond, type Reply, set, waitScene } from "../helpers/wait-scene.js";

const tenant = new AsyncLocalStorage<string>();
const tenants = ["one", "two", "three", "four"];

/** A client whose key function notes in whose context it runs, and whose polls come one after the other. */
function tenantScene(replies: Reply[], options = {}) {
  const asked: (string | undefined)[] = [];
  const apiKey = async () => {
    asked.push(tenant.getStore());
    return "key";
  };
  const scene = waitScene(({ count }) => replies[count] ?? "running", { takesMs: 30, apiKey, ...options });
  return { ...scene, asked };
}

test.each<[what: string, second: Reply]>([
  ["jobs that run", "running"],
  ["a failure", { status: 503 }],
  ["a refusal of all", { status: 429 }],
])("each tenant's polls and callbacks keep to their own context through %s", async (_, second) => {
  const scene = tenantScene(["queued", second, "succeeded"], { maxConcurrentPolls: 1 });
  const called: [name: string, context: string | undefined][] = [];

  await Promise.all(
    tenants.map((name) =>
      tenant.run(name, async () => {
        const note = () => void called.push([name, tenant.getStore()]);
        await scene.client.screenshots.createAndWait(set, { onUpdate: note, onResponse: note });
        for await (const _ of scene.client.watchJob(name, { onUpdate: note, onResponse: note })) note();
      }),
    ),
  );

  for (const name of tenants) expect(scene.asked.filter((asked) => asked === name)).toHaveLength(7);
  expect(called.filter(([name, context]) => name !== context)).toEqual([]);
});

test("sends a poll that several share in the context of the one who wanted it", async () => {
  const scene = tenantScene([]);
  const wait = (name: string, options: object) =>
    tenant.run(name, () => rejection(scene.client.waitForJob("shared", options)));
  const rare = { minDelayMs: 10_000, maxDelayMs: 10_000, timeoutMs: 40_000 };
  const slow = wait("slow", rare);
  await scene.clock.sleep(1000);
  const others = [wait("quick", { ...everySecond, timeoutMs: 4500 }), wait("late", rare)];
  await Promise.all([slow, ...others]);
  expect(scene.asked.join(" ")).toMatch(/^slow( quick){5}( slow| late)+$/);
});
