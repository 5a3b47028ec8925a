import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type Job, type JobsOptions, Queue, Worker, type WorkerOptions } from "bullmq";
import { Redis } from "ioredis";
import { type ClientOptions, ScreenshotSets } from "screenshot-sets";
import { createProcessor, type ProcessorOptions, type SetData, workerOptions } from "screenshot-sets/bullmq";
import { createMock, type MockOptions } from "screenshot-sets/mock";
import { inject, onTestFinished, test } from "vitest";

/** A test that needs Redis. */
export const redisTest = test.skipIf(inject("redisUrl") === undefined);

/** The connection to the tests' Redis. Workers wait for it without a limit. */
export function redisConnection() {
  const { hostname, port, username, password } = new URL(inject("redisUrl") as string);
  return { host: hostname, port: Number(port || 6379), username, password, maxRetriesPerRequest: null };
}

/** Polls as soon as possible. */
const quick = { minDelayMs: 1, maxDelayMs: 20 };

/** How a set ended. */
export interface SetEnd {
  job: Job<SetData>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into errors of every class
  error?: any;
}

/** A separate queue on a separate mock, and its workers. */
export class QueueScene {
  readonly mock;
  readonly queue: Queue<SetData>;
  /** Errors of workers that did not end a job. */
  readonly problems: Error[] = [];
  readonly #ends = new Map<string, (end: SetEnd) => void>();

  constructor(options: MockOptions = {}) {
    this.mock = createMock({ allowance: 100_000, ...options });
    this.queue = new Queue<SetData>(`sets-${randomUUID()}`, { connection: redisConnection() });
    onTestFinished(async () => {
      await this.queue.obliterate({ force: true });
      await this.queue.close();
    });
  }

  /** A new client each time, as in another process. */
  get client(): ScreenshotSets {
    return new ScreenshotSets(this.mock.clientOptions);
  }

  /** Its queue, without a Redis client. */
  get queueWithoutRedis(): ProcessorOptions["queue"] {
    return {
      getJob: (id) => this.queue.getJob(id),
      getRanges: (...args) => this.queue.getRanges(...args),
      getRateLimitTtl: (count) => this.queue.getRateLimitTtl(count),
      rateLimit: (forMs) => this.stop(forMs),
    };
  }

  /** Its queue, on a Redis client that `change` makes of the queue's own, in BullMQ 5 and 6. */
  queueThrough(change: <Redis extends object>(redis: Redis) => Redis): ProcessorOptions["queue"] {
    const own = this.queue as unknown as {
      getBackend?(): { client: Promise<object> };
      client: Promise<object>;
    };
    const client = { value: (own.getBackend?.() ?? own).client.then(change) };
    return Object.create(this.queue, { client, getBackend: { value: undefined } });
  }

  clientWith(options: ClientOptions): ScreenshotSets {
    return new ScreenshotSets({ ...this.mock.clientOptions, ...options });
  }

  /** Expires the lock of a job, as if its worker had died a while ago. */
  async expire(job: Job<SetData>): Promise<void> {
    await this.#onRedis((redis) => redis.del(`${this.queue.toKey(job.id as string)}:lock`));
  }

  /** Stops the queue, as BullMQ's `rateLimit` does, which BullMQ 5.0 does not have. */
  async stop(forMs: number): Promise<void> {
    const limiter = this.queue.toKey("limiter");
    await this.#onRedis((redis) => redis.set(limiter, Number.MAX_SAFE_INTEGER, "PX", forMs));
  }

  /** Ends a stop of the queue. */
  async resume(): Promise<void> {
    await this.#onRedis((redis) => redis.del(this.queue.toKey("limiter")));
  }

  /** The priority that Redis holds for a job; old versions of BullMQ tell the one that it was added with. */
  async storedPriority(job: Job<SetData>): Promise<number> {
    return Number(await this.#onRedis((redis) => redis.hget(this.queue.toKey(job.id as string), "priority")));
  }

  async #onRedis<Result>(command: (redis: Redis) => Promise<Result>): Promise<Result> {
    const redis = new Redis(redisConnection());
    return command(redis).finally(() => redis.quit());
  }

  /** Starts a worker with its own client. */
  work(
    options: Partial<ProcessorOptions & WorkerOptions> & {
      client?: Parameters<typeof createProcessor>[0];
    } = {},
  ): Worker<SetData> {
    const {
      client = this.client,
      minDelayMs,
      maxDelayMs,
      timeoutMs,
      queue,
      ...others
    } = { ...quick, ...options };
    const processor = createProcessor(client, { queue: this.queue, minDelayMs, maxDelayMs, timeoutMs });
    const worker = new Worker<SetData>(this.queue.name, processor, {
      connection: redisConnection(),
      ...workerOptions,
      drainDelay: 1,
      ...others,
    });
    worker.on("completed", (job) => this.#ended({ job }));
    worker.on("failed", (job, error) => job && this.#ended({ job, error }));
    worker.on("error", (error) => this.problems.push(error));
    onTestFinished(() => worker.close());
    return worker;
  }

  /** Adds a set for a new app. `end` resolves when a worker of this scene ends the set. */
  async add(
    data: object = {},
    options: JobsOptions = {},
  ): Promise<{ job: Job<SetData>; end: Promise<SetEnd> }> {
    const { appId } = await this.client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
    const params = { appId, device: "iphone-69" as const, count: 3 };
    const jobId = options.jobId ?? randomUUID();
    const end = this.endOf(jobId);
    const job = await this.queue.add("set", { params, ...data }, { ...options, jobId });
    return { job, end };
  }

  /** A worker without a processor, from which jobs are taken one by one. It recovers jobs whose worker died. */
  async asked(options: Partial<WorkerOptions> = {}): Promise<Worker<SetData>> {
    const worker = new Worker<SetData>(this.queue.name, undefined, {
      connection: redisConnection(),
      ...workerOptions,
      stalledInterval: 10,
      drainDelay: 0.01,
      ...options,
    });
    onTestFinished(() => worker.close());
    await worker.startStalledCheckTimer();
    return worker;
  }

  /** Starts the set of this scene as soon as its turn comes. */
  async start(token: string): Promise<Job<SetData>> {
    const worker = await this.asked();
    for (;;) {
      const job = await worker.getNextJob(token);
      if (job) return job;
    }
  }

  /** Resolves when a job ends next. */
  endOf(jobId: string): Promise<SetEnd> {
    return new Promise((resolve) => this.#ends.set(jobId, resolve));
  }

  /** A job as stored in the queue. */
  async stored(jobId: string | undefined): Promise<Job<SetData>> {
    const job = await this.queue.getJob(jobId as string);
    if (job === undefined) throw new Error(`There is no job ${jobId}.`);
    return job;
  }

  #ended(end: SetEnd): void {
    this.#ends.get(end.job.id as string)?.(end);
  }
}

/** Resolves once a worker has emitted an event. */
export async function told(
  worker: Worker,
  event: "failed" | "completed" | "active" | "progress",
): Promise<unknown> {
  const [first] = await once(worker as never, event);
  return first;
}
