import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ScreenshotSets } from "screenshot-sets";
import { runBatch } from "screenshot-sets/batch";
import { stepSet } from "screenshot-sets/durable";
import { createMock, type MockOptions } from "screenshot-sets/mock";
import { postgresStore, type Query } from "screenshot-sets/postgres";
import { beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { drawFrom } from "../../helpers/built-program.js";
import { collect } from "../../helpers/collect.js";
import { buildStoreWorker } from "../../helpers/engine-program.js";
import { losingProxy } from "../../helpers/losing-proxy.js";
import type { Engines } from "../../helpers/postgres.js";
import { PostgresServer } from "../../helpers/postgres-server.js";
import { chargesByApp } from "../../helpers/queue-scene.js";
import { rejection } from "../../helpers/rejection.js";

const engines = inject("engines");
const storeTest = test.skipIf(engines === undefined);
const { folder } = (engines ?? {}) as Engines;
const seed = Number(process.env.TEST_SEED ?? Math.ceil(1_000_000 * Math.random()));

let server: PostgresServer;
beforeAll(async () => {
  if (engines === undefined) return;
  server = (await PostgresServer.start()) as PostgresServer;
  return () => server.stop();
});

const drivers = ["pg", "postgres.js"];

/** A driver's `query`, as the docs have it. */
function connect(driver: string, url = server.url): Query {
  const load = createRequire(join(folder, "package.json"));
  if (driver === "postgres.js") {
    const sql = load("postgres")(url, { onnotice() {} });
    onTestFinished(() => sql.end({ timeout: 1 }));
    return sql.unsafe;
  }
  const pool = new (load("pg").Pool)({ connectionString: url });
  pool.on("error", () => {});
  onTestFinished(() => pool.end());
  return (text, values) => pool.query(text, values);
}

/** An account, and the parameters of a set of it. */
async function account(options: MockOptions = {}) {
  const mock = createMock({ allowance: 1_000, ...options });
  const client = new ScreenshotSets(mock.clientOptions);
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
  return { mock, client, params: { appId, device: "iphone-69" } as const };
}

storeTest.each(drivers)(
  "%s: processes that create the table at once step the same set, which is paid once",
  async (driver) => {
    const { mock, client, params } = await account({ lifecycle: "manual" });
    const table = `public.sets_${driver.length}`;
    const stores = [0, 1, 2, 3].map(() => postgresStore(connect(driver), { table }));
    const steps = stores.map((store) => stepSet(client, { key: "order-7", params, store }));
    expect((await Promise.all(steps)).map(({ status }) => status)).toEqual(stores.map(() => "waiting"));
    expect(mock.credits.ledger()).toHaveLength(1);

    const [store] = stores as [(typeof stores)[0]];
    const accepted = await store.load("order-7");
    expect(accepted).toMatchObject({ version: 2, params, state: { step: "accepted", jobId: "job_1" } });
    const rows = (await connect("pg")(`select jsonb_typeof(record) as type from ${table}`, [])) as {
      rows: object[];
    };
    expect(rows.rows).toEqual([{ type: "object" }]);
    for (const next of [{ other: 1 }, undefined]) {
      expect(await store.save("order-7", next, { stale: true })).toBe(false);
    }
    expect(await store.load("order-7")).toEqual(accepted);
  },
);

storeTest.each(drivers)("%s: two batches of the same sets at once plan each once", async (driver) => {
  const { mock, client, params } = await account();
  const sets = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`${driver} ${index}`, params]));
  const batch = () => collect(runBatch(client, { sets, store: postgresStore(connect(driver)) }));
  const outcomes = (await Promise.all([batch(), batch()])).flat();
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(["succeeded"]));
  expect(outcomes).toHaveLength(16);
  expect(mock.credits.ledger()).toHaveLength(8);
});

storeTest("within an open transaction, or where the table can't be created, nothing is sent", async () => {
  const { mock, client, params } = await account();
  const { Pool } = createRequire(join(folder, "package.json"))("pg");
  const pool = new Pool({ connectionString: server.url });
  onTestFinished(() => pool.end());
  const connection = await pool.connect();
  onTestFinished(() => connection.release());
  const step = (query: Query) => stepSet(client, { key: "order-8", params, store: postgresStore(query) });

  await connection.query("begin");
  const inTransaction = await rejection(step((text, values) => connection.query(text, values)));
  expect(inTransaction).toMatchObject({
    name: "ConfigurationError",
    message: expect.stringContaining("open transaction"),
  });
  await connection.query("rollback");

  await connection.query("drop table if exists screenshot_sets; create role nobody login");
  const asNobody = connect("pg", server.url.replace("tests@", "nobody@"));
  const refused = await rejection(step(asNobody));
  expect(refused).toMatchObject({ name: "ConfigurationError", cause: expect.any(Error) });
  // The statement of the message is the one for migrations.
  await connection.query(/create table .*/.exec((refused as Error).message)?.[0]);
  await connection.query("grant select, insert, update, delete on screenshot_sets to nobody");
  expect(mock.requests({ operation: "createScreenshots" })).toEqual([]);
  expect(await step(asNobody)).toMatchObject({ status: "waiting", jobId: "job_1" });
});

storeTest.each([
  ["the record of a create", "insert into", "accepted"],
  ["an acceptance", "update ", "accepted"],
  ["a refusal", "delete from", undefined],
])("a lost reply to %s is found stored, and the set goes on", async (_, statement, step) => {
  const { mock, client, params } = await account();
  const proxy = await losingProxy({ host: "127.0.0.1", port: server.port });
  const store = postgresStore(connect("pg", server.url.replace(`:${server.port}`, `:${proxy.port}`)));
  if (step === undefined) mock.fault({ status: 429 }, { operation: "createScreenshots" });
  const set = { key: `lost ${step} ${statement.length}`, params, store };
  proxy.lose(1, statement);
  const result = await stepSet(client, set);
  expect(proxy.hasLost).toBe(true);
  expect([result.status, result.state?.step]).toEqual(["waiting", step]);
  expect(await store.load(set.key)).toEqual(step && expect.objectContaining({ state: result.state }));
  expect(mock.credits.ledger()).toHaveLength(step ? 1 : 0);
});

storeTest("a method that has lost its object is told in words, and nothing is sent", async () => {
  const { mock, client, params } = await account();
  const { Pool } = createRequire(join(folder, "package.json"))("pg");
  const pool = new Pool({ connectionString: server.url });
  onTestFinished(() => pool.end());
  const store = postgresStore(pool.query);
  const error = await rejection(stepSet(client, { key: "order-9", params, store }));
  expect(error).toMatchObject({
    name: "ConfigurationError",
    message: expect.stringContaining("pool.query(text, values)"),
    cause: expect.any(TypeError),
  });
  expect(mock.credits.ledger()).toEqual([]);
});

const [countOfSets, everyMs] = process.env.ALL_DRAWS ? [200, 1_000] : [40, 700];

storeTest.each(drivers)(
  `%s: ${countOfSets} sets on four processes, amid kills, cut connections and restarts of the server, are paid once at most, and all end (seed ${seed})`,
  async (driver) => {
    const { path, remove } = await buildStoreWorker(folder);
    onTestFinished(remove);
    const mock = createMock({
      ...{ clock: "system", allowance: 100_000, idPrefix: `${driver}-` },
      lifecycle: { queued: 300, running: 500, unit: "ms" },
    });
    mock.fault(
      { latencyMs: 100 },
      { operation: "createScreenshots", when: "after", times: Number.POSITIVE_INFINITY },
    );
    const { url, close } = await mock.listen();
    onTestFinished(close);
    const own = new ScreenshotSets(mock.clientOptions);
    const appIds: string[] = [];
    for (let set = 0; set < countOfSets; set++) {
      appIds.push(
        (await own.apps.create({ iosUrl: `https://apps.apple.com/us/app/example/id${set + 1}` })).appId,
      );
    }
    const ends = new Map<string, string>();
    const workers: ChildProcess[] = [];
    let isOver = false;
    const start = (index: number) => {
      if (isOver) return;
      const env = {
        ...{ ...process.env, DATABASE_URL: server.url, DRIVER: driver, APP_IDS: appIds.join() },
        ...{ SCREENSHOT_SETS_API_KEY: mock.clientOptions.apiKey, SCREENSHOT_SETS_BASE_URL: url },
      };
      const worker = fork(path, { env, stdio: ["ignore", "ignore", "inherit", "ipc"] });
      worker.on("message", (message) => {
        const [appId, status] = message as [string, string];
        // A late acceptance of a slow process corrects an uncertain set.
        if (ends.get(appId) !== "succeeded") ends.set(appId, status);
      });
      worker.once("exit", () => start(index));
      workers[index] = worker;
    };
    onTestFinished(() => {
      isOver = true;
      for (const worker of workers) worker.kill("SIGKILL");
    });
    for (let index = 0; index < 4; index++) start(index);

    const draw = drawFrom(seed);
    const admin = connect("pg");
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = 'postgres'`;
    const startedAt = performance.now();
    let deeds = 0;
    while (ends.size < countOfSets || [...ends.values()].includes("waiting")) {
      await setTimeout(everyMs * (0.5 + draw()));
      const kind = draw();
      if (performance.now() - startedAt > 40_000) continue;
      deeds++;
      if (kind < 0.6) workers[Math.floor(4 * draw())]?.kill("SIGKILL");
      else if (kind < 0.9) await Promise.resolve(admin(cut, [])).catch(() => {});
      else await server.kill().then(() => server.restart());
    }
    isOver = true;
    const charges = chargesByApp(mock);
    expect(Math.max(...charges.values())).toBe(1);
    expect(new Set(ends.values())).toEqual(
      new Set(["succeeded", ...[...ends.values()].filter((end) => end === "uncertain")]),
    );
    for (const [appId, end] of ends) if (end === "succeeded") expect(charges.get(appId)).toBe(1);
    expect(deeds).toBeGreaterThan(0);
    if (!process.env.FIGURES) return;
    const uncertain = [...ends.values()].filter((end) => end === "uncertain").length;
    const perSecond = (1_000 * countOfSets) / (performance.now() - startedAt);
    process.stdout.write(
      `${driver}: ${perSecond.toFixed(1)} sets a second, ${uncertain} uncertain, ${deeds} deeds\n`,
    );
  },
  180_000,
);
