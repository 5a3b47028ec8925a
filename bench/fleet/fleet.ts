import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setInterval, setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Queue } from "bullmq";
import type { Mock } from "screenshot-sets/mock";
import type { RedisServer } from "../../test/helpers/redis-server.js";
import { ourMock } from "../contestants.js";

export type Kind = "processor" | "createAndWait";

export interface WorkerOrder {
  kind: Kind;
  name: string;
  port: number;
  concurrency: number;
  clientOptions: { apiKey: string; baseUrl: string };
}

/** The outcome of a set. */
export interface PlannedSet {
  polls: number;
  /** How late its end was seen, as a fraction of its duration. */
  lateness: number;
}

const program = fileURLToPath(new URL("worker.ts", import.meta.url));

/** Worker processes with their own queue and their own mock. */
export class Fleet {
  readonly queue: Queue;
  readonly #mock: Mock;
  readonly #close: () => Promise<void>;
  readonly #workers: ChildProcess[];
  #added = 0;

  private constructor(queue: Queue, mock: Mock, close: () => Promise<void>, workers: ChildProcess[]) {
    this.queue = queue;
    this.#mock = mock;
    this.#close = close;
    this.#workers = workers;
  }

  /** @param kind what the workers run */
  static async start(redis: RedisServer, kind: Kind, processes: number, concurrency: number): Promise<Fleet> {
    const { createMock } = await ourMock();
    const mock = createMock({ clock: "system", allowance: 1_000_000 });
    const { url, close } = await mock.listen();
    const name = `bench-${randomUUID()}`;
    const queue = new Queue(name, { connection: { host: "127.0.0.1", port: redis.port } });
    const { apiKey } = mock.clientOptions;
    const order: WorkerOrder = {
      kind,
      name,
      port: redis.port,
      concurrency,
      clientOptions: { apiKey, baseUrl: url },
    };
    const execArgv = [...process.execArgv, "--expose-gc"];
    const workers = Array.from({ length: processes }, () =>
      fork(program, [JSON.stringify(order)], { execArgv }),
    );
    const fleet = new Fleet(queue, mock, close, workers);
    // The first worker is ready once it answers.
    await fleet.heapBytes();
    return fleet;
  }

  /** Adds a set for each of these durations of jobs, in milliseconds. */
  async add(durations: number[]): Promise<void> {
    const { appId } = await (
      await this.#mock.fetch(this.#request("apps", { iosUrl: "https://a.test" }))
    ).json();
    for (const running of durations)
      this.#mock.nextJob({ outcome: "succeeded", lifecycle: { queued: 0, running, unit: "ms" } });
    const data = { params: { appId, device: "iphone-69", count: 5 } };
    await this.queue.addBulk(durations.map(() => ({ name: "set", data, opts: { priority: 1 } })));
    this.#added += durations.length;
  }

  #request(path: string, body: object): Request {
    const { apiKey, baseUrl } = this.#mock.clientOptions;
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    return new Request(`${baseUrl}/public/v1/${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
  }

  /** Resolves when all added sets have ended. */
  async ended(): Promise<void> {
    for await (const _ of setInterval(50)) {
      const { completed = 0, failed = 0 } = await this.queue.getJobCounts("completed", "failed");
      if (failed > 0) throw new Error(`${failed} sets failed.`);
      if (completed === this.#added) return;
    }
  }

  /** Resolves when all added sets wait for their jobs. */
  async waiting(): Promise<void> {
    for await (const _ of setInterval(50)) {
      if (this.#mock.credits.ledger().length === this.#added) break;
    }
    await setTimeout(500);
  }

  /** The outcomes of the sets in the order in which they were accepted, given the durations of their jobs. */
  planned(durations: number[]): PlannedSet[] {
    const looks = new Map<string, number[]>();
    for (const { path, time } of this.#mock.requests({ operation: "getJob" })) {
      const jobId = path.split("/").at(-1) as string;
      looks.set(jobId, [...(looks.get(jobId) ?? []), time]);
    }
    return this.#mock.credits.ledger().map(({ jobId, time }, index) => {
      const times = looks.get(jobId as string) ?? [];
      const duration = durations[index] as number;
      return {
        polls: times.length,
        lateness: Math.max((times.at(-1) as number) - time - duration, 0) / duration,
      };
    });
  }

  /** The heap of one worker process in bytes, after garbage collection. */
  async heapBytes(): Promise<number> {
    const [worker] = this.#workers as [ChildProcess];
    const answer = once(worker, "message");
    worker.send("heap");
    const [bytes] = await answer;
    return bytes as number;
  }

  async stop(): Promise<void> {
    for (const worker of this.#workers) worker.kill("SIGKILL");
    await this.#close();
    await this.queue.obliterate({ force: true });
    await this.queue.close();
  }
}
