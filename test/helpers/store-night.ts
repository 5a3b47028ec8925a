import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { ScreenshotSets } from "screenshot-sets";
import type { StoredSet } from "screenshot-sets/durable";
import { createMock, type Mock } from "screenshot-sets/mock";
import { onTestFinished } from "vitest";
import { buildStoreWorker } from "./engine-program.js";
import { connect, type Engines, type Sql } from "./postgres.js";
import type { PostgresServer } from "./postgres-server.js";
import { chargesByApp } from "./queue-scene.js";
import type { Message } from "./store-worker.js";

/** How long a process has to live after an acceptance for its log or the store to name the job, in milliseconds. */
const toldMs = 5_500;

/** A process. */
interface Life {
  /** The jobs that were accepted and that it has not logged, and when they were. */
  readonly unlogged: Map<string, number>;
  diedAt?: number;
}

/** Sets in a `postgresStore`, and the processes that step them. */
export class StoreNight {
  readonly appIds: string[] = [];
  /** How sets ended, by their apps. */
  readonly ends = new Map<string, string>();
  readonly #lives: Life[] = [];
  readonly #workers: ChildProcess[] = [];
  #isOver = false;

  private constructor(
    readonly mock: Mock,
    private readonly server: PostgresServer,
    private readonly program: string,
    private readonly admin: Sql,
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  static async start(countOfSets: number, driver: string, server: PostgresServer, { folder }: Engines) {
    const admin = connect(folder, server.url);
    await admin.unsafe("drop table if exists screenshot_sets");
    const { path, remove } = await buildStoreWorker(folder);
    const lifecycle = { queued: 300, running: 500, unit: "ms" } as const;
    const mock = createMock({ clock: "system", allowance: 100_000, idPrefix: `${driver}-`, lifecycle });
    const times = Number.POSITIVE_INFINITY;
    mock.fault({ latencyMs: 100 }, { operation: "createScreenshots", when: "after", times });
    const { url, close } = await mock.listen();
    const key = mock.clientOptions.apiKey;
    const service = { SCREENSHOT_SETS_API_KEY: key, SCREENSHOT_SETS_BASE_URL: url };
    const environment = { ...process.env, ...service, DATABASE_URL: server.url, DRIVER: driver };
    const night = new StoreNight(mock, server, path, admin, environment);
    onTestFinished(async () => {
      night.#isOver = true;
      for (const worker of night.#workers) worker.kill("SIGKILL");
      await admin.end();
      await close();
      remove();
    });
    const own = new ScreenshotSets(mock.clientOptions);
    for (let set = 1; set <= countOfSets; set++) {
      const { appId } = await own.apps.create({ iosUrl: `https://apps.apple.com/us/app/example/id${set}` });
      night.appIds.push(appId);
    }
    return night;
  }

  /** Starts processes that step the sets until all have ended, and another one for each that dies. */
  work(count: number, variables: NodeJS.ProcessEnv): void {
    for (let index = 0; index < count; index++) void this.#keepUp(index, variables);
  }

  /** Starts processes that each run one batch, which orders again what it finds uncertain. Resolves when they have ended. */
  async orderAgain(count: number): Promise<void> {
    const runs = Array.from({ length: count }, () => once(this.#begin({ AGAIN: "1" }), "exit"));
    await Promise.all(runs);
  }

  async #keepUp(index: number, variables: NodeJS.ProcessEnv): Promise<void> {
    while (!this.#isOver) {
      const worker = this.#begin(variables);
      this.#workers[index] = worker;
      await once(worker, "exit");
    }
  }

  #begin(variables: NodeJS.ProcessEnv): ChildProcess {
    const env = { ...this.environment, APP_IDS: this.appIds.join(), ...variables };
    const worker = fork(this.program, { env, stdio: ["ignore", "ignore", "inherit", "ipc"] });
    const life: Life = { unlogged: new Map() };
    this.#lives.push(life);
    worker.on("message", ({ ended, accepted, logged }: Message) => {
      // A late acceptance of a slow process corrects an uncertain set.
      if (ended && this.ends.get(ended[0]) !== "succeeded") this.ends.set(...ended);
      if (accepted) life.unlogged.set(accepted, performance.now());
      if (logged) life.unlogged.delete(logged);
    });
    worker.once("exit", () => {
      life.diedAt = performance.now();
    });
    return worker;
  }

  /** Whether a set has not ended. */
  get isOn(): boolean {
    return this.ends.size < this.appIds.length || [...this.ends.values()].includes("waiting");
  }

  /** Kills a process, cuts all connections, or kills the server and starts it again, at once or after some seconds. */
  async disturb(kind: number, draw: () => number): Promise<void> {
    const kill = () => this.#workers[Math.floor(this.#workers.length * draw())]?.kill("SIGKILL");
    if (kind < 0.6) kill();
    else if (kind < 0.9) {
      const cut = `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = 'postgres'`;
      await this.admin.unsafe(cut).catch(() => {});
    } else {
      await this.server.kill();
      if (kind > 0.96) await setTimeout(7_000);
      await this.server.restart();
    }
  }

  /** What was found wrong: sets that were charged more often than ordered, and jobs that neither the store nor a log names. */
  async wrong(): Promise<string[]> {
    const rows = await this.admin<{ key: string; record: string }>`
      select key, record::text as record from screenshot_sets`;
    const orders = new Map(rows.map(({ key, record }) => [key, ordersIn(JSON.parse(record))]));
    const overcharged = [...chargesByApp(this.mock)].filter(
      ([appId, charges]) => charges > (orders.get(appId) ?? 0),
    );
    const stored = rows.map(({ record }) => record).join();
    const lost = this.#lives.flatMap(({ unlogged, diedAt = performance.now() }) =>
      [...unlogged].filter(([jobId, at]) => diedAt - at > toldMs && !stored.includes(`"${jobId}"`)),
    );
    return [
      ...overcharged.map(([appId, charges]) => `${appId} was charged ${charges} times`),
      ...lost.map(([jobId]) => `${jobId} is lost`),
    ];
  }
}

const ordersIn = ({ state, earlier = [] }: StoredSet) => earlier.length + (state ? 1 : 0);
