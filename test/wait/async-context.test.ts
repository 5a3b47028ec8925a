import { AsyncLocalStorage } from "node:async_hooks";
import { type ClientOptions, type Job, type ResponseInfo, ScreenshotSets } from "screenshot-sets";
import { expect, test } from "vitest";
import { documentedCredits } from "../helpers/documented-credits.js";
import { rejection } from "../helpers/rejection.js";
import { sceneTime } from "../helpers/scene-time.js";
import { job } from "../helpers/wait-scene.js";

const tenant = new AsyncLocalStorage<string>();
const tenants = ["one", "two", "three", "four"];

/** A client whose callbacks note in whose context they run. Its service ends each job after some polls. */
function tenantScene({
  polls = 4,
  status = 200,
  ...options
}: { polls?: number; status?: number } & ClientOptions = {}) {
  const { clock, clientClock } = sceneTime();
  const ran: [what: string, tenant: string | undefined, jobId?: string | undefined][] = [];
  const counts = new Map<string, number>();
  const log = (message: string) => void ran.push([message, tenant.getStore()]);
  const client = new ScreenshotSets({
    apiKey: () => {
      ran.push(["apiKey", tenant.getStore()]);
      return Promise.resolve("key");
    },
    baseUrl: "https://service.test/api/v1",
    fetch: async (url, init) => {
      if (init?.method === "POST") {
        const jobId = `${tenant.getStore()}-created`;
        return Response.json({ jobId, credits: documentedCredits(10, 90) }, { status: 201 });
      }
      const id = String(url).split("/").at(-1) as string;
      const count = (counts.get(id) ?? 0) + 1;
      counts.set(id, count);
      ran.push(["fetch", tenant.getStore(), id]);
      await clock.sleep(30);
      if (status !== 200 && count < polls) return new Response("", { status });
      return Response.json(job(id, count < polls ? (count < 2 ? "queued" : "running") : "succeeded"));
    },
    logger: { debug: log, info: log, warn: log, error: log },
    ...(clientClock && { clock: clientClock }),
    ...options,
  });
  const onUpdate = () => ({
    onUpdate: ({ id }: Job) => void ran.push(["onUpdate", tenant.getStore(), id]),
    onResponse: ({ path }: ResponseInfo) =>
      void ran.push(["onResponse", tenant.getStore(), /jobs\/(.*)/.exec(path)?.[1]]),
  });
  /** Who ran in the context of another tenant than the one whose job it was about. */
  const strangers = () => ran.filter(([, store, id]) => store === undefined || (id && !id.startsWith(store)));
  const count = (what: string, who?: string) =>
    ran.filter(([name, store]) => name === what && (who === undefined || store === who)).length;
  return { client, clock, ran, onUpdate, strangers, count };
}

test.each([
  ["waitForJob", 200],
  ["waitForJob after failures", 503],
  ["waitForJob after refusals", 429],
])("keeps the callbacks of four tenants in their own contexts: %s", async (_, status) => {
  const scene = tenantScene({ status, maxConcurrentPolls: 1 });

  await Promise.all(
    tenants.map((name) =>
      tenant.run(name, async () => {
        for (let round = 0; round < 2; round++) {
          await scene.client.waitForJob(`${name}-${round}`, scene.onUpdate());
          expect(tenant.getStore()).toBe(name);
        }
      }),
    ),
  );

  expect(scene.strangers()).toEqual([]);
  for (const name of tenants) {
    expect([scene.count("fetch", name), scene.count("apiKey", name)]).toEqual([8, 8]);
    expect([scene.count("Sent a request", name), scene.count("onResponse", name)]).toEqual([8, 8]);
    expect(scene.count("onUpdate", name)).toBe(status === 200 ? 6 : 2);
  }
});

test("keeps createAndWait and watchJob in the contexts of their callers", async () => {
  const scene = tenantScene();
  const params = { appId: "app_1", device: "iphone-69" } as const;

  await Promise.all(
    tenants.map((name) =>
      tenant.run(name, async () => {
        await scene.client.screenshots.createAndWait(params, scene.onUpdate());
        for await (const { id } of scene.client.watchJob(`${name}-watched`, scene.onUpdate())) {
          expect([tenant.getStore(), id]).toEqual([name, `${name}-watched`]);
        }
      }),
    ),
  );

  expect(scene.strangers()).toEqual([]);
  for (const name of tenants) expect(scene.count("fetch", name)).toBe(8);
});

test("sends a poll that several share in the context of the one who wanted it", async () => {
  const scene = tenantScene({ polls: 1000 });
  const wait = (name: string, options: object) =>
    tenant.run(name, () => rejection(scene.client.waitForJob("shared", { ...scene.onUpdate(), ...options })));
  const slow = wait("slow", { minDelayMs: 10_000, maxDelayMs: 10_000, timeoutMs: 40_000 });
  await scene.clock.sleep(1000);
  const quick = wait("quick", { minDelayMs: 1000, maxDelayMs: 1000, timeoutMs: 4500 });

  const late = wait("late", { minDelayMs: 10_000, maxDelayMs: 10_000, timeoutMs: 40_000 });

  await Promise.all([slow, quick, late]);

  const contexts = scene.ran.filter(([what]) => what === "fetch").map(([, store]) => store);
  expect(contexts.join(" ")).toMatch(/^slow( quick){5}( slow| late)+$/);
});

test("logs what onUpdate throws in the context of its wait", async () => {
  const scene = tenantScene();
  const onUpdate = () => {
    throw new Error("no");
  };
  await Promise.all(
    tenants.map((name) => tenant.run(name, () => scene.client.waitForJob(`${name}-1`, { onUpdate }))),
  );
  for (const name of tenants) expect(scene.count("onUpdate threw", name)).toBe(3);
});
