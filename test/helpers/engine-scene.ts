import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { ScreenshotSets } from "screenshot-sets";
import { createMock, type Mock } from "screenshot-sets/mock";
import { onTestFailed, onTestFinished } from "vitest";
import { EngineDatabase, type SetRow } from "./engine-database.js";
import { buildSample, type Engine } from "./engine-program.js";
import { fakeSqs } from "./fake-sqs.js";
import type { Engines } from "./postgres.js";

const lifecycle = { queued: 500, running: 1_000, unit: "ms" } as const;
const jobMs = lifecycle.queued + lifecycle.running;

type Params = { appId: string; device: "iphone-69"; count: number };

/** A mock, a database, and two processes that run the sample for an engine. */
export class EngineScene {
  /** How often a process was killed, or all connections to the database were cut. */
  deeds = 0;
  #isOver = false;

  private constructor(
    private readonly engine: Engine,
    readonly mock: Mock,
    readonly database: EngineDatabase,
    private readonly fleet: Fleet,
  ) {}

  /** Starts it for one test. */
  static async start(engine: Engine, installed: Engines, allowance = 100): Promise<EngineScene> {
    const program = await buildSample(engine, installed.folder);
    onTestFinished(program.remove);
    const mock = createMock({ clock: "system", allowance, lifecycle });
    const { url, close } = await mock.listen();
    onTestFinished(close);
    const database = await EngineDatabase.create(engine, installed);
    const sqs = await fakeSqs(3_000);
    onTestFinished(sqs.close);
    const fleet = new Fleet(program.path, engine.needsNewNode ? installed.newNode : process.execPath, {
      ...sqs.environment,
      DATABASE_URL: database.url,
      SCREENSHOT_SETS_API_KEY: mock.clientOptions.apiKey,
      SCREENSHOT_SETS_BASE_URL: url,
    });
    const scene = new EngineScene(engine, mock, database, fleet);
    onTestFinished(async () => {
      scene.#isOver = true;
      await fleet.stop();
      await database.drop();
    });
    onTestFailed(() => void process.stderr.write(fleet.errors));
    await fleet.isReady;
    return scene;
  }

  /** Orders a set for a new app, unless it is for another, and waits until the order has arrived. */
  async order(id: string, app?: string): Promise<void> {
    const client = new ScreenshotSets(this.mock.clientOptions);
    const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
    const params = { appId: app ?? appId, device: "iphone-69", count: 1 } as const;
    if (this.engine.takesOrders) this.fleet.order(id, params);
    else await this.database.insert(id, params);
    await this.rowsOnce((rows) => rows.some((row) => row.id === id));
  }

  /** The sets, once it is so with them. */
  async rowsOnce(isSo: (rows: SetRow[]) => boolean): Promise<SetRow[]> {
    while (!this.#isOver) {
      const rows = await this.database.rows();
      if (isSo(rows)) return rows;
      await setTimeout(50);
    }
    return [];
  }

  /** How a set ends. */
  async outcome(id: string): Promise<SetRow["outcome"] | undefined> {
    const isEnded = (row: SetRow) => row.id === id && row.outcome !== null;
    return (await this.rowsOnce((rows) => rows.some(isEnded))).find(isEnded)?.outcome;
  }

  /** From now on, kills processes and cuts connections to the database, twice and once in turn, at drawn moments. */
  async disturb(most: number, draw: () => number): Promise<void> {
    while (this.deeds < most) {
      await setTimeout(200 + 800 * draw());
      // Most moments are between creates, so every other deed waits for one, though not for long.
      const latest = performance.now() + 500;
      while (this.deeds % 2 === 1 && !this.#isInCreate() && performance.now() < latest) await setTimeout(10);
      if (this.#isOver) return;
      if (this.deeds % 3 === 2) await this.database.cut();
      else if (!this.fleet.kill(draw)) continue;
      this.deeds++;
    }
  }

  /** Tells both processes to stop, while a create is under way. */
  async stopInCreate(): Promise<void> {
    await this.#nextCreate();
    this.fleet.tellToStop();
  }

  /** Cuts all connections to the database, while a create is under way, and once more soon after. */
  async cutInCreate(): Promise<void> {
    await this.#nextCreate();
    for (let cuts = 0; cuts < 2; cuts++) {
      await this.database.cut();
      await setTimeout(300);
    }
  }

  async #nextCreate(): Promise<void> {
    while (!this.#isInCreate() && !this.#isOver) await setTimeout(10);
  }

  #isInCreate(): boolean {
    const creates = this.mock.requests({ operation: "createScreenshots" });
    return creates.some(({ durationMs }) => durationMs === undefined);
  }

  /**
   * How jobs were polled whose end was seen: the mean number of polls, and the mean time from their end to the poll that
   * saw it, as a share of their duration.
   */
  pollFigures(): { polls: number; lateness: number } {
    const jobs = new Map<string, { endsAt: number; polls: number; seenAt?: number }>();
    for (const { operation, time, path, responseBody } of this.mock.requests()) {
      const { jobId, status } = Object(responseBody);
      if (operation === "createScreenshots" && jobId) jobs.set(jobId, { endsAt: time + jobMs, polls: 0 });
      const job = operation === "getJob" ? jobs.get(path.split("/").at(-1) ?? "") : undefined;
      if (job === undefined || job.seenAt) continue;
      job.polls++;
      if (status === "succeeded" || status === "failed") job.seenAt = time;
    }
    const seen = [...jobs.values()].filter(({ seenAt }) => seenAt);
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    return {
      polls: mean(seen.map(({ polls }) => polls)),
      lateness: mean(seen.map(({ endsAt, seenAt = 0 }) => (seenAt - endsAt) / jobMs)),
    };
  }
}

/** Two processes that run a sample. One that ends, as a cron job does, is started again. */
class Fleet {
  readonly isReady: Promise<void>;
  /** The last that the processes wrote to their standard error. */
  errors = "";
  #isOver = false;
  readonly #processes: ChildProcess[] = [];
  /** Those that no process has taken. */
  readonly #orders = new Map<string, Params>();

  constructor(
    private readonly program: string,
    private readonly node: string,
    private readonly environment: Record<string, string>,
  ) {
    // Some engines cannot create their tables twice at once.
    this.isReady = this.#start(0).then(() => this.#start(1));
  }

  /** Resolves when the process has loaded the sample. It is given all orders, as by a client that tries again. */
  #start(index: number): Promise<void> {
    // DBOS goes on with the workflows of the process of the same name.
    const env = { ...process.env, ...this.environment, DBOS__VMID: `process-${index}` };
    const options = { execPath: this.node, execArgv: [], env };
    const child = fork(this.program, { ...options, stdio: ["ignore", "ignore", "pipe", "ipc"] });
    this.#processes[index] = child;
    child.stderr?.on("data", (chunk) => {
      this.errors = `${this.errors}${chunk}`.slice(-10_000);
    });
    child.once("exit", () => {
      if (!this.#isOver) void this.#start(index);
    });
    return new Promise((resolve) => {
      child.on("message", (message) => {
        this.#orders.delete(message as string);
        if (message !== "ready") return;
        for (const [id, params] of this.#orders) send(child, id, params);
        resolve();
      });
    });
  }

  order(id: string, params: Params): void {
    this.#orders.set(id, params);
    for (const child of this.#processes) send(child, id, params);
  }

  /** Kills a drawn process, if it is running. */
  kill(draw: () => number): boolean {
    return this.#processes[Math.floor(2 * draw())]?.kill("SIGKILL") ?? false;
  }

  tellToStop(): void {
    for (const child of this.#processes) child.kill("SIGTERM");
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    const alive = this.#processes.filter((child) => child.kill("SIGKILL"));
    await Promise.all(alive.map((child) => once(child, "exit")));
  }
}

/** Sends an order to a process, which may be dead. */
function send(child: ChildProcess, id: string, params: Params): void {
  child.send({ id, params }, () => {});
}
