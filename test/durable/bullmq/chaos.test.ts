import { type ChildProcess, fork } from "node:child_process";
import { setInterval } from "node:timers/promises";
import { type Job, Queue } from "bullmq";
import { ScreenshotSets } from "screenshot-sets";
import type { SetData } from "screenshot-sets/bullmq";
import { createMock } from "screenshot-sets/mock";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { randomFrom } from "../../../bench/waiting/random.js";
import { buildProgram } from "../../helpers/built-program.js";
import { drawn } from "../../helpers/draws.js";
import { chargesByApp } from "../../helpers/queue-scene.js";
import { RedisServer } from "../../helpers/redis-server.js";

// Real processes, which are killed, and so is their Redis.
const [countOfSets, processes, concurrency, lockMs, mostDeeds] = [30, 3, 5, 1_000, 6];

const redis = await RedisServer.start();
if (redis === undefined && process.env.REQUIRE_SERVICES)
  throw new Error("Expected redis-server to be installed.");

let program: Awaited<ReturnType<typeof buildProgram>>;
beforeAll(async () => {
  program = await buildProgram("chaos-worker", "chaos");
});
afterAll(async () => {
  program.remove();
  await redis?.stop();
});

/** A queue with the sets, each for an app of its own, on a mock that takes its time. */
async function addSets(port: number, name: string) {
  const mock = createMock({
    clock: "system",
    allowance: 20 * countOfSets,
    lifecycle: { queued: 300, running: 400, unit: "ms" },
  });
  mock.fault({ latencyMs: 60 }, { operation: "createScreenshots", times: Number.POSITIVE_INFINITY });
  const listener = await mock.listen();
  onTestFinished(listener.close);
  const connection = { host: "127.0.0.1", port, maxRetriesPerRequest: null };
  const queue = new Queue<SetData>(name, { connection });
  queue.on("error", () => {});
  onTestFinished(() => queue.close());
  const client = new ScreenshotSets(mock.clientOptions);
  const jobs: Job<SetData>[] = [];
  for (let index = 0; index < countOfSets; index++) {
    const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
    const params = { appId, device: "iphone-69", count: 1 } as const;
    jobs.push(await queue.add("set", { params }, { priority: 1 }));
  }
  return { mock, url: listener.url, queue, jobs };
}

/** Now and then notes something in the data of a set, in the copy that its producer added. */
function writeStaleData(jobs: Job<SetData>[], draw: () => number) {
  const counted = { writes: 0 };
  const timer = globalThis.setInterval(() => {
    const job = jobs[Math.floor(draw() * jobs.length)] as Job<SetData>;
    const data = { params: job.data.params, traceId: `t-${counted.writes}` };
    // Redis is down for a moment.
    job.updateData(data as SetData).then(
      () => counted.writes++,
      () => {},
    );
  }, 20);
  onTestFinished(() => clearInterval(timer));
  return counted;
}

/** Stops a worker for longer than its locks last, as if its event loop were blocked. */
function block(worker: ChildProcess): void {
  worker.kill("SIGSTOP");
  setTimeout(() => worker.kill("SIGCONT"), 1.5 * lockMs);
}

test.skipIf(redis === undefined).each(drawn([1, 2, 3]))(
  "sets whose data is overwritten, on processes and a Redis that are killed and blocked, are charged once at most, and all end (seed %i)",
  async (seed) => {
    const server = redis as RedisServer;
    const { mock, url, queue, jobs } = await addSets(server.port, `chaos-${seed}`);
    const env = {
      ...process.env,
      SCREENSHOT_SETS_API_KEY: mock.clientOptions.apiKey,
      SCREENSHOT_SETS_BASE_URL: url,
      REDIS_PORT: `${server.port}`,
      QUEUE: queue.name,
      CONCURRENCY: `${concurrency}`,
      LOCK_MS: `${lockMs}`,
    };
    const start = () =>
      fork(program.path, { env, execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
    const fleet = Array.from({ length: processes }, start);
    onTestFinished(() => fleet.forEach((worker) => void worker.kill("SIGKILL")));
    const stale = writeStaleData(jobs, randomFrom(seed + 1));

    const draw = randomFrom(seed);
    let deeds = 0;
    for await (const _ of setInterval(400)) {
      const ended = await queue.getJobCountByTypes("completed", "failed");
      if (ended === countOfSets) break;
      // The last sets end sooner if all processes are alive.
      if (ended > 0.8 * countOfSets || deeds === mostDeeds) continue;
      const victim = Math.floor(draw() * processes);
      if (draw() < 0.2) {
        block(fleet[victim] as ChildProcess);
      } else {
        fleet[victim]?.kill("SIGKILL");
        fleet[victim] = start();
      }
      if (++deeds === 3) {
        await server.kill();
        await server.restart();
      }
    }

    const [done, failed] = await Promise.all([queue.getCompleted(), queue.getFailed()]);
    const charges = chargesByApp(mock);
    expect(Math.max(...charges.values())).toBe(1);
    expect(done.filter(({ data }) => charges.get(data.params.appId) !== 1)).toEqual([]);
    const isUncertain = ({ failedReason }: Job) => failedReason?.includes("charged: maybe");
    expect(failed.filter((job) => !isUncertain(job))).toEqual([]);
    // No more than were in a create when their process met its end.
    expect(failed.length).toBeLessThanOrEqual(deeds * concurrency);
    expect(stale.writes).toBeGreaterThan(countOfSets);
  },
);
