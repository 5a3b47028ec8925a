import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { setInterval } from "node:timers/promises";
import { type Job, Queue } from "bullmq";
import { ScreenshotSets } from "screenshot-sets";
import type { SetData } from "screenshot-sets/bullmq";
import { createMock } from "screenshot-sets/mock";
import { drawFrom } from "./built-program.js";
import type { RedisServer } from "./redis-server.js";

interface ChaosOptions {
  sets: number;
  processes: number;
  /** The seed that decides which process is killed or stopped. */
  seed: number;
  /** The interval of kills and stops. They go on until most sets have ended or `mostDeeds` is reached. */
  everyMs: number;
  mostDeeds: number;
  /** The number of kills and stops after which Redis is also killed. */
  redisDiesAfter: number;
}

/** The outcome of the sets. */
interface Verdict {
  done: number;
  uncertain: number;
  /** The reasons why other sets failed. */
  otherFailures: string[];
  /** Sets that were charged more than once. */
  double: string[];
  /** Sets that were done but not charged. */
  unpaid: string[];
  /** Charges that belong to no set of this run. */
  unknownCharges: number;
  /** How many processes were killed or stopped. */
  deeds: number;
  /** How often the data of a set was replaced by what its producer had added. */
  staleWrites: number;
}

/** The number of sets that a process works on at once. */
export const concurrency = 5;

const lockMs = 1_000;

/** Plans sets on processes that are killed, or stopped for longer than their locks last, and checks the ledger. */
export async function rampage(program: string, redis: RedisServer, options: ChaosOptions): Promise<Verdict> {
  const { sets, processes, seed, everyMs, mostDeeds, redisDiesAfter } = options;
  const mock = createMock({
    clock: "system",
    allowance: 20 * sets,
    lifecycle: { queued: 300, running: 400, unit: "ms" },
  });
  mock.fault({ latencyMs: 60 }, { operation: "createScreenshots", times: Number.POSITIVE_INFINITY });
  const { url, close } = await mock.listen();
  const name = `chaos-${randomUUID()}`;
  const queue = new Queue<SetData>(name, {
    connection: { host: "127.0.0.1", port: redis.port, maxRetriesPerRequest: null },
  });
  queue.on("error", () => {});
  const { appIds, jobs } = await addSets(queue, new ScreenshotSets(mock.clientOptions), sets);
  const env = {
    ...process.env,
    SCREENSHOT_SETS_API_KEY: mock.clientOptions.apiKey,
    SCREENSHOT_SETS_BASE_URL: url,
    REDIS_PORT: String(redis.port),
    QUEUE: name,
    CONCURRENCY: String(concurrency),
    LOCK_MS: String(lockMs),
  };
  const start = () => fork(program, { env, execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const fleet = Array.from({ length: processes }, start);
  let deeds = 0;
  const draw = drawFrom(seed);
  const producer = writeStaleData(jobs, drawFrom(seed + 1), staleEveryMs(sets));
  try {
    for await (const _ of setInterval(everyMs)) {
      const { completed = 0, failed = 0 } = await queue.getJobCounts("completed", "failed");
      if (completed + failed === sets) break;
      // The last sets end sooner if all processes are alive.
      if (completed + failed > 0.8 * sets || deeds === mostDeeds) continue;
      const victim = Math.floor(draw() * processes);
      if (draw() < 0.2) {
        stop(fleet[victim] as ChildProcess);
      } else {
        fleet[victim]?.kill("SIGKILL");
        fleet[victim] = start();
      }
      if (++deeds === redisDiesAfter) {
        await redis.kill();
        await redis.restart();
      }
    }
    return { deeds, staleWrites: await producer.stop(), ...(await judge(queue, mock, appIds)) };
  } finally {
    await producer.stop();
    for (const one of fleet) one.kill("SIGKILL");
    await close();
    await queue.obliterate({ force: true });
    await queue.close();
  }
}

async function addSets(queue: Queue<SetData>, client: ScreenshotSets, count: number) {
  const iosUrl = "https://apps.apple.com/us/app/example/id1";
  const apps = await Promise.all(Array.from({ length: count }, () => client.apps.create({ iosUrl })));
  const job = ({ appId }: { appId: string }) => ({
    name: "set",
    data: { params: { appId, device: "iphone-69" as const, count: 1 } },
    opts: { jobId: `set-${appId}`, priority: 1 },
  });
  const jobs = await queue.addBulk(apps.map(job));
  return { jobs, appIds: apps.map(({ appId }) => appId) };
}

/** About ten writes a set, in a run of some seconds to a minute. */
const staleEveryMs = (sets: number) => Math.max(1, 600 / sets);

/** A producer that notes something in the data of a set now and then, in the copy that it added. */
function writeStaleData(jobs: Job<SetData>[], draw: () => number, everyMs: number) {
  let writes = 0;
  let isStopped = false;
  const writing = (async () => {
    for await (const _ of setInterval(everyMs)) {
      if (isStopped) break;
      const job = jobs[Math.floor(draw() * jobs.length)] as Job<SetData>;
      // BullMQ notes the new data in the job, which is here that of the producer, written over and over.
      const { params } = job.data;
      const isWritten = await job.updateData({ params, traceId: `t-${writes}` } as SetData).then(
        () => true,
        // Redis is down for a moment.
        () => false,
      );
      if (isWritten) writes++;
    }
  })();
  const stop = async () => {
    isStopped = true;
    await writing;
    return writes;
  };
  return { stop };
}

/** Stops a worker for longer than its locks last, as if its event loop were blocked. */
function stop(worker: ChildProcess): void {
  worker.kill("SIGSTOP");
  setTimeout(() => worker.kill("SIGCONT"), 1.5 * lockMs);
}

async function judge(
  queue: Queue<SetData>,
  mock: ReturnType<typeof createMock>,
  appIds: string[],
): Promise<Omit<Verdict, "deeds" | "staleWrites">> {
  const charges = new Map(appIds.map((appId) => [appId, 0]));
  for (const { body, credits } of mock.requests({ operation: "createScreenshots" })) {
    const { appId } = body as { appId: string };
    if (credits > 0) charges.set(appId, (charges.get(appId) ?? 0) + 1);
  }
  const known = [...charges.values()].reduce((sum, count) => sum + count, 0);
  const [done, failed] = [await queue.getCompleted(), await queue.getFailed()];
  const reasons = failed.map(({ failedReason }) => failedReason ?? "");
  return {
    done: done.length,
    uncertain: reasons.filter((reason) => reason.includes("charged: maybe")).length,
    otherFailures: reasons.filter((reason) => !reason.includes("charged: maybe")),
    double: appIds.filter((appId) => (charges.get(appId) ?? 0) > 1),
    unpaid: done.map(({ data }) => data.params.appId).filter((appId) => charges.get(appId) === 0),
    unknownCharges: mock.credits.ledger().length - known,
  };
}
