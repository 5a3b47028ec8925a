import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { expect, inject, onTestFinished, test } from "vitest";
import { buildStoreWorker } from "../../helpers/engine-program.js";
import { EngineScene } from "../../helpers/engine-scene.js";
import { engines, engineTest } from "../../helpers/engines.js";
import { losingProxy } from "../../helpers/losing-proxy.js";
import { connect, type Engines } from "../../helpers/postgres.js";

// What people copy lives on when the database ends all its connections while creates are under way, as at a restart.

const creates = { operation: "createScreenshots", times: Number.POSITIVE_INFINITY } as const;

engineTest.each(engines)(
  "on %s, sets whose creates are under way when the database ends all connections are planned",
  async (_, engine) => {
    const scene = await EngineScene.start(engine, inject("engines") as Engines, 1_000);
    scene.mock.fault({ latencyMs: 1_000 }, { ...creates, when: "after" });
    for (let set = 0; set < 3; set++) await scene.order(`order-${set}`);
    await scene.cutInCreate();
    const rows = await scene.rowsOnce((all) => all.every(({ outcome }) => outcome));
    expect(rows.map(({ outcome }) => outcome)).toEqual(rows.map(() => ({ slides: 1 })));
    expect(scene.mock.credits.used).toBe(30);
  },
);

const docs = readFileSync("docs/queues.md", "utf8");
const listeners = docs.match(/^pool\.on\(.*$/gm)?.join("\n") ?? "";

test("the docs and the hover of the store have the same listeners", () => {
  const hover = readFileSync("src/durable/postgres.ts", "utf8").match(/(?<=^ \* )pool\.on\(.*$/gm);
  expect(listeners.split("\n")).toHaveLength(2);
  expect(hover?.join("\n")).toBe(listeners);
});

engineTest.each(["pg", "postgres.js", "Kysely"])(
  "with %s as the docs have it, a set is stored whose connections end during its create and its acceptance",
  async (driver) => {
    const { folder, databaseUrl } = inject("engines") as Engines;
    const [, query] = new RegExp(`^\\| ${driver} \\| \`(.*?)\``, "m").exec(docs) ?? [];
    const mock = createMock({ clock: "system", idPrefix: `${driver}-` });
    mock.fault({ latencyMs: 1_000 }, { ...creates, when: "after" });
    const { url, close } = await mock.listen();
    onTestFinished(close);
    const { appId } = await new ScreenshotSets(mock.clientOptions).apps.create({
      iosUrl: "https://apps.apple.com/us/app/example/id1",
    });
    const sql = connect(folder, databaseUrl);
    onTestFinished(async () => {
      await sql`drop table if exists screenshot_sets`;
      await sql.end();
    });
    const { hostname, port } = new URL(databaseUrl);
    const proxy = await losingProxy({ host: hostname, port: Number(port || 5432) });
    const { path, remove } = await buildStoreWorker(folder, "driver-worker");
    onTestFinished(remove);
    const worker = fork(path, {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: {
        ...process.env,
        DRIVER: driver,
        QUERY: query,
        LISTENERS: listeners,
        APP_ID: appId,
        DATABASE_URL: `${databaseUrl.replace(/@[^/]*/, `@127.0.0.1:${proxy.port}`)}?application_name=cut`,
        SCREENSHOT_SETS_API_KEY: mock.clientOptions.apiKey,
        SCREENSHOT_SETS_BASE_URL: url,
      },
    });
    onTestFinished(() => void worker.kill("SIGKILL"));
    const told = messageOf(worker);
    while (mock.credits.used === 0) await setTimeout(10);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'cut'`;
    proxy.lose(1, "update ");
    expect(await told).toEqual(["waiting", `${driver}-job_1`]);
    expect(proxy.hasLost).toBe(true);
    const stored = await sql<{ record: object }>`select record from screenshot_sets where key = ${driver}`;
    expect(stored).toMatchObject([{ record: { state: { step: "accepted", jobId: `${driver}-job_1` } } }]);
  },
);

/** What a process tells; its exit code, if it ends before. */
async function messageOf(worker: ChildProcess): Promise<unknown> {
  const exited = once(worker, "exit").then(([code]) => `ended with ${code}`);
  return Promise.race([once(worker, "message").then(([message]) => message), exited]);
}
