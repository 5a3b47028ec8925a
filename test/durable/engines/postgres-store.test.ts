import { AsyncLocalStorage } from "node:async_hooks";
import { createRequire } from "node:module";
import { join } from "node:path";
import { ScreenshotSets } from "screenshot-sets";
import { runBatch } from "screenshot-sets/batch";
import { stepSet } from "screenshot-sets/durable";
import { createMock, type MockOptions } from "screenshot-sets/mock";
import { postgresStore, type Query } from "screenshot-sets/postgres";
import { beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { collect } from "../../helpers/collect.js";
import { losingProxy } from "../../helpers/losing-proxy.js";
import { pgBouncer } from "../../helpers/pgbouncer.js";
import type { Engines } from "../../helpers/postgres.js";
import { PostgresServer } from "../../helpers/postgres-server.js";
import { rejection } from "../../helpers/rejection.js";

const engines = inject("engines");
const storeTest = test.skipIf(engines === undefined);
const { folder } = (engines ?? {}) as Engines;

let server: PostgresServer;
beforeAll(async () => {
  if (engines === undefined) return;
  server = (await PostgresServer.start()) as PostgresServer;
  return () => server.stop();
});

const drivers = ["pg", "postgres.js"];

/** A driver's `query`, as the docs have it. */
function connect(driver: string, url = server.url): Query {
  if (driver === "postgres.js") {
    const sql = load("postgres")(url, { onnotice() {} });
    onTestFinished(() => sql.end({ timeout: 1 }));
    return sql.unsafe;
  }
  const pool = poolOf({ connectionString: url });
  return (text, values) => pool.query(text, values);
}

/** A pool of `pg`, of its own. */
function poolOf(options: object = {}) {
  const pool = new (load("pg").Pool)({ connectionString: server.url, ...options });
  pool.on("error", () => {});
  onTestFinished(() => pool.end());
  return pool;
}

/** What the engines' folder has installed. */
const load = (name: string) => createRequire(join(folder, "package.json"))(name);

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

storeTest(
  "a create within a transaction that a library carries along is not sent, and its order is paid once",
  async () => {
    const { mock, client, params } = await account();
    const pool = poolOf();
    const transaction = new AsyncLocalStorage<{ query: Query }>();
    const store = postgresStore((text, values) => (transaction.getStore() ?? pool).query(text, values));
    expect(await stepSet(client, { key: "outside", params, store })).toMatchObject({ jobId: "job_1" });

    const set = { key: "inside", params, store };
    const connection = await pool.connect();
    await connection.query("begin");
    const inside = await transaction.run(connection, () => rejection(stepSet(client, set)));
    await connection.query("rollback");
    connection.release();
    expect(inside).toMatchObject({
      name: "ConfigurationError",
      message: expect.stringContaining("open transaction"),
    });
    expect(await store.load("inside")).toBeUndefined();
    expect(await stepSet(client, set)).toMatchObject({ status: "waiting", jobId: "job_2" });
    expect(mock.credits.used).toBe(20);
  },
);

storeTest(
  "a create whose record is written within another connection's transaction is not sent",
  async () => {
    const { mock, client, params } = await account();
    const pool = poolOf();
    const connection = await pool.connect();
    onTestFinished(() => connection.release());
    await stepSet(client, { key: "first", params, store: postgresStore(connect("pg")) });
    await connection.query("begin");
    const query: Query = (text, values) =>
      (/^(insert|with)/.test(text) ? connection : pool).query(text, values);
    const error = await rejection(stepSet(client, { key: "order-8", params, store: postgresStore(query) }));
    expect(error.message).toContain("reads elsewhere than it writes");
    await connection.query("commit");
    expect(await postgresStore(connect("pg")).load("order-8")).toBeUndefined();
    expect(mock.credits.used).toBe(10);
  },
);

storeTest("a table that is created within an open transaction keeps nothing", async () => {
  const { client, params } = await account();
  const connection = await poolOf().connect();
  onTestFinished(() => connection.release());
  await connection.query("begin");
  const store = postgresStore((text, values) => connection.query(text, values), {
    table: "of_a_transaction",
  });
  const error = await rejection(stepSet(client, { key: "order-8", params, store }));
  expect(error.message).toContain("open transaction");
  await connection.query("rollback");
  expect(await stepSet(client, { key: "order-8", params, store })).toMatchObject({ jobId: "job_1" });
});

storeTest("where the table can't be created, the statement is told, and nothing is sent", async () => {
  const { mock, client, params } = await account();
  const pool = poolOf();
  await pool.query("drop table if exists screenshot_sets; create role nobody login");
  const asNobody = postgresStore(connect("pg", server.url.replace("tests@", "nobody@")));
  const step = () => stepSet(client, { key: "order-8", params, store: asNobody });
  const refused = await rejection(step());
  expect(refused).toMatchObject({ name: "ConfigurationError", cause: expect.any(Error) });
  // The statement of the message is the one for migrations.
  await pool.query(/create table .*/.exec(refused.message)?.[0]);
  await pool.query("grant select, insert, update, delete on screenshot_sets to nobody");
  expect(mock.requests({ operation: "createScreenshots" })).toEqual([]);
  expect(await step()).toMatchObject({ status: "waiting", jobId: "job_1" });
});

storeTest(
  "a table that can't be created for another reason is told by the database's own error",
  async () => {
    const { client, params } = await account();
    const step = (table: string) =>
      rejection(stepSet(client, { key: "order-8", params, store: postgresStore(connect("pg"), { table }) }));
    expect(await step("nowhere.sets")).toMatchObject({ code: "3F000" });
    await poolOf().query("create type a_type as (id text)");
    expect(await step("a_type")).toMatchObject({ code: "42809" });
  },
);

storeTest.each([
  ["by a role that lacks a right", "42501", "reader", {}],
  ["on a server that is read-only", "25006", "tests", { options: "-c default_transaction_read_only=on" }],
])(
  "a create whose record can't be written %s is told at once, and nothing is sent",
  async (_, code, role, options) => {
    const { mock, client, params } = await account();
    await stepSet(client, { key: `before ${code}`, params, store: postgresStore(connect("pg")) });
    await poolOf().query(`do $$ begin create role reader login; exception when duplicate_object then end $$;
    grant select on screenshot_sets to reader`);
    const pool = poolOf({ connectionString: server.url.replace("tests@", `${role}@`), ...options });
    const store = postgresStore((text, values) => pool.query(text, values));
    const startedAt = performance.now();
    expect(await rejection(stepSet(client, { key: `order-${code}`, params, store }))).toMatchObject({ code });
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(mock.requests({ operation: "createScreenshots" })).toHaveLength(1);
  },
);

storeTest(
  "a second table of the name, in another schema, is created only where `table` asks for it",
  async () => {
    const { mock, client, params } = await account();
    const pool = poolOf();
    await pool.query("create schema tenant_1; create schema tenant_2");
    const stepIn = (schema: string, table?: string) => {
      const own = poolOf({ options: `-c search_path=${schema}` });
      const store = postgresStore((text, values) => own.query(text, values), { table });
      return stepSet(client, { key: "order-8", params, store });
    };
    await pool.query("create temporary table of_tenants (key text)");
    await stepIn("tenant_1", "of_tenants");
    const { message } = await rejection(stepIn("tenant_2", "of_tenants"));
    expect(message).toContain(
      '"of_tenants" is missing in the schema "tenant_2", and the schema "tenant_1" has one',
    );
    expect(message).toContain('`table: "tenant_1.of_tenants"`');
    const { rows } = await pool.query("select to_regclass('tenant_2.of_tenants') as table");
    expect([rows[0].table, mock.credits.used]).toEqual([null, 10]);

    expect(await stepIn("tenant_2", "tenant_1.of_tenants")).toMatchObject({ jobId: "job_1" });
    expect(await stepIn("tenant_2", "tenant_2.of_tenants")).toMatchObject({ jobId: "job_2" });
    // The own one is there now.
    expect(await stepIn("tenant_2", "of_tenants")).toMatchObject({ jobId: "job_2" });
  },
);

storeTest(
  "a table that disappears is told to be gone, with what it held, and is not created again",
  async () => {
    const { mock, client, params } = await account();
    const set = { key: "order-8", params, store: postgresStore(connect("pg"), { table: "vanishing" }) };
    await stepSet(client, set);
    await poolOf().query("drop table vanishing");
    for (let steps = 0; steps < 2; steps++) {
      expect(await rejection(stepSet(client, set))).toMatchObject({
        name: "ConfigurationError",
        message: expect.stringMatching(/"vanishing" is gone, and with it the record of what was paid for/),
        cause: { code: "42P01" },
      });
    }
    expect(mock.credits.used).toBe(10);
  },
);

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
  const store = postgresStore(poolOf().query);
  const error = await rejection(stepSet(client, { key: "order-9", params, store }));
  expect(error).toMatchObject({
    name: "ConfigurationError",
    message: expect.stringContaining("pool.query(text, values)"),
    cause: expect.any(TypeError),
  });
  expect(mock.credits.ledger()).toEqual([]);
});

const bouncer = engines?.pgBouncer;

test.skipIf(bouncer === undefined).each(drivers)(
  "%s behind PgBouncer in transaction mode: two batches at once plan each set once, and no create within a transaction is sent",
  async (driver) => {
    const port = await pgBouncer(bouncer as string, server.port);
    const url = server.url.replace(`:${server.port}`, `:${port}`);
    const { mock, client, params } = await account();
    const keys = Array.from({ length: 8 }, (_, index) => `bounced ${driver} ${index}`);
    const sets = Object.fromEntries(keys.map((key) => [key, params]));
    const batch = () => collect(runBatch(client, { sets, store: postgresStore(connect(driver, url)) }));
    const outcomes = (await Promise.all([batch(), batch()])).flat();
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(["succeeded"]));
    expect(mock.credits.ledger()).toHaveLength(8);

    const connection = await poolOf({ connectionString: url }).connect();
    onTestFinished(() => connection.release());
    await connection.query("begin");
    const store = postgresStore((text, values) => connection.query(text, values));
    const error = await rejection(stepSet(client, { key: `in ${driver}`, params, store }));
    expect(error.message).toContain("open transaction");
    expect(mock.credits.ledger()).toHaveLength(8);
    await connection.query("rollback");
  },
);
