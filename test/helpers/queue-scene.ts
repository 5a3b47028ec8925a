import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type Job, type JobsOptions, Queue, Worker, type WorkerOptions } from "bullmq";
import { ScreenshotSets } from "screenshot-sets";
import { createProcessor, type ProcessorOptions, type SetData, workerOptions } from "screenshot-sets/bullmq";
import type { SetState } from "screenshot-sets/durable";
import { createMock, type Mock, type MockOptions } from "screenshot-sets/mock";
import { inject, onTestFinished, test } from "vitest";

/** A test that needs Redis. */
export const redisTest = test.skipIf(inject("redisUrl") === undefined);

/** The connection to the tests' Redis. Workers wait for it without a limit. */
export function redisConnection() {
  const { hostname, port, username, password } = new URL(inject("redisUrl") as string);
  return { host: hostname, port: Number(port || 6379), username, password, maxRetriesPerRequest: null };
}

type Client = Parameters<typeof createProcessor>[0];

/** How a set ended. */
interface SetEnd {
  job: Job<SetData>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into errors of every class
  error?: any;
}

/** A separate queue on a separate mock, and its workers. */
export class QueueScene {
  readonly mock: Mock;
  readonly queue: Queue<SetData>;
  /** Errors of workers that did not end a job. */
  readonly problems: Error[] = [];
  readonly #ends = new Map<string, (end: SetEnd) => void>();

  /** @param given a mock, or the options of its own */
  constructor(given: Mock | MockOptions = {}) {
    this.mock = "handle" in given ? given : createMock({ allowance: 100_000, ...given });
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

  /** A client whose requests may take any time: the mock's own clock would end them while Redis is waited for. */
  clientThrough(fetch: typeof globalThis.fetch): ScreenshotSets {
    const clock = { now: () => 0, sleep: () => new Promise<never>(() => {}) };
    return new ScreenshotSets({ ...this.mock.clientOptions, clock, fetch });
  }

  /** Its queue, without a Redis client. */
  get queueWithoutRedis(): ProcessorOptions["queue"] {
    return {
      getJob: (id) => this.queue.getJob(id),
      getRateLimitTtl: (count) => this.queue.getRateLimitTtl(count),
      rateLimit: (forMs) => this.queue.rateLimit(forMs),
    };
  }

  /** Its queue, as in BullMQ 5, on a Redis client that `change` makes of the queue's own. */
  queueThrough(change: <Redis extends object>(redis: Redis) => Redis): ProcessorOptions["queue"] {
    const client = { value: this.queue.getBackend().client.then(change) };
    return Object.create(this.queue, { client, getBackend: { value: undefined } });
  }

  /** A Redis client with something around each write of a state, which calls `write` to have it done. */
  aroundWrites<Redis extends object>(
    redis: Redis,
    around: (next: SetState | undefined, write: () => Promise<unknown>) => unknown,
  ): Redis {
    return new Proxy(redis, {
      get(target, name: string) {
        const value = Reflect.get(target, name) as (...args: string[]) => Promise<unknown>;
        if (name !== "screenshotSets:replace") return value;
        return async (...args: string[]) => {
          // The keys of the job and its lock, what was seen, and then what is to be stored: data and record.
          const record = args[5];
          return around(record ? JSON.parse(record) : undefined, () =>
            (value as (...all: string[]) => Promise<unknown>).apply(target, args),
          );
        };
      },
    });
  }

  /** Expires the lock of a job, as if its worker had died a while ago. */
  async expire({ id = "" }: Job<SetData>): Promise<void> {
    const redis = await this.queue.getBackend().client;
    await redis.del(`${this.queue.toKey(id)}:lock`);
  }

  /** Starts a worker with its own client, which polls as soon as possible unless told otherwise. */
  work(options: Partial<ProcessorOptions & WorkerOptions> & { client?: Client } = {}): Worker<SetData> {
    const { queue, client, minDelayMs, maxDelayMs, timeoutMs, ...others } = {
      queue: this.queue,
      client: this.client,
      minDelayMs: 1,
      maxDelayMs: 20,
      ...options,
    };
    const processor = createProcessor(client, { queue, minDelayMs, maxDelayMs, timeoutMs });
    const connection = redisConnection();
    const worker = new Worker<SetData>(this.queue.name, processor, {
      connection,
      ...workerOptions,
      drainDelay: 1,
      ...others,
    });
    worker.on("completed", (job) => this.#ends.get(job.id as string)?.({ job }));
    worker.on("failed", (job, error) => job && this.#ends.get(job.id as string)?.({ job, error }));
    worker.on("error", (error) => this.problems.push(error));
    onTestFinished(() => worker.close());
    return worker;
  }

  /** Adds a set for a new app. `end` resolves when a worker of this scene ends the set. */
  async add(data: object = {}, options: JobsOptions = {}) {
    const { appId } = await this.client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
    const params = { appId, device: "iphone-69" as const, count: 3 };
    const { jobId = randomUUID() } = options;
    const end = this.endOf(jobId);
    const job = await this.queue.add("set", { params, ...data }, { ...options, jobId });
    return { job, end };
  }

  /** Adds a set and starts a worker, which has reported the acceptance when this resolves. */
  async accepted(options: JobsOptions = {}) {
    const accepted = told(this.work(), "progress");
    const added = await this.add({}, options);
    await accepted;
    return added;
  }

  /** A worker without a processor, from which jobs are taken one by one. It recovers jobs whose worker died. */
  async taker(options: Partial<WorkerOptions> = {}): Promise<Worker<SetData>> {
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

  /** Adds a set and takes its job, as a worker does. `step` runs the processor on it. */
  async taken(data: object = {}, options: Partial<WorkerOptions> = {}) {
    const { end } = await this.add(data);
    const token = randomUUID();
    const taker = await this.taker(options);
    let job: Job<SetData> | undefined;
    while (job === undefined) job = await taker.getNextJob(token);
    const taken = job;
    const step = (own: Partial<ProcessorOptions> & { client?: Client } = {}) => {
      const { client = this.client, queue = this.queue, ...others } = own;
      return createProcessor(client, { queue, ...others })(taken as never, token);
    };
    return { job, end, step };
  }

  /** Resolves when a job ends next. */
  endOf(jobId: string): Promise<SetEnd> {
    return new Promise((resolve) => this.#ends.set(jobId, resolve));
  }

  /** Retries a job that failed, and resolves when it ends again. */
  async retried(jobId: string | undefined): Promise<SetEnd> {
    const end = this.endOf(jobId as string);
    await (await this.stored(jobId)).retry();
    return end;
  }

  /** A job as stored in the queue. */
  async stored(jobId: string | undefined): Promise<Job<SetData>> {
    const job = await this.queue.getJob(jobId as string);
    if (job === undefined) throw new Error(`There is no job ${jobId}.`);
    return job;
  }
}

/** The queue of a scene on Redis, and as BullMQ has it on another store. */
export const stores = [
  ["Redis", ({ queue }: QueueScene): ProcessorOptions["queue"] => queue],
  ["another store", ({ queueWithoutRedis }: QueueScene) => queueWithoutRedis],
] as const;

/** Resolves once a worker has emitted an event. */
export async function told(worker: Worker, event: "failed" | "completed" | "active" | "progress") {
  const [first] = await once(worker as never, event);
  return first as unknown;
}

/** How often each app was charged for a set. */
export function chargesByApp(mock: Mock): Map<string, number> {
  const charges = new Map<string, number>();
  for (const { body, credits } of mock.requests({ operation: "createScreenshots" })) {
    const { appId } = body as SetData["params"];
    if (credits > 0) charges.set(appId, (charges.get(appId) ?? 0) + 1);
  }
  return charges;
}
