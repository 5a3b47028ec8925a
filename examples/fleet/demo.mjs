// npm run demo:fleet: 100 sets on four worker processes of which some are killed, against the mock and a real Redis
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";

const sets = 100;
const workers = 4;
const kills = 10;
const killEveryMs = 400;

/** A worker as in worker.mjs, with locks that expire within seconds: nobody wants to watch for half a minute. */
async function work() {
  const [{ Worker }, { createProcessor, workerOptions }, { connection, name, openQueue }] = await Promise.all(
    [import("bullmq"), import("screenshot-sets/bullmq"), import("./queue.mjs")],
  );
  const processor = createProcessor(new ScreenshotSets(), { queue: openQueue() });
  const quick = { lockDuration: 2_000, stalledInterval: 1_000, concurrency: 5 };
  new Worker(name, processor, { connection, ...workerOptions, ...quick }).on("error", () => {});
}

async function demonstrate() {
  const redis = await findRedis();
  if (redis === undefined) {
    console.error(
      "This needs Redis: install it (`apt install redis-server`, `brew install redis`), or set REDIS_URL.",
    );
    process.exitCode = 1;
    return;
  }
  const mock = createMock({
    clock: "system",
    allowance: 20 * sets,
    lifecycle: { queued: 1_500, running: 2_500, unit: "ms" },
  });
  // Long enough for some of the kills to hit a create.
  mock.fault({ latencyMs: 300 }, { operation: "createScreenshots", times: Number.POSITIVE_INFINITY });
  const listener = await mock.listen();
  process.env.REDIS_URL = redis.url;
  process.env.QUEUE = `demo-${process.pid}`;
  process.env.SCREENSHOT_SETS_API_KEY = mock.clientOptions.apiKey;
  process.env.SCREENSHOT_SETS_BASE_URL = listener.url;
  const { openQueue } = await import("./queue.mjs");
  const queue = openQueue();
  const appIds = await add(queue);
  const fleet = Array.from({ length: workers }, start);
  try {
    const killed = await watch(queue, mock, fleet);
    await judge(queue, mock, appIds, killed);
  } finally {
    for (const worker of fleet) worker.kill("SIGKILL");
    await queue.obliterate({ force: true });
    await queue.close();
    await listener.close();
    await redis.stop();
  }
}

function start() {
  return fork(fileURLToPath(import.meta.url), ["worker"], { stdio: "ignore" });
}

/** Adds the sets, each of an app of its own, which tells later what was charged for which. */
async function add(queue) {
  const client = new ScreenshotSets();
  const apps = await Promise.all(
    Array.from({ length: sets }, () =>
      client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" }),
    ),
  );
  const jobs = apps.map(({ appId }) => ({
    name: "set",
    data: { params: { appId, device: "iphone-69" } },
    opts: { jobId: `set-${appId}`, priority: 1 },
  }));
  await queue.addBulk(jobs);
  return apps.map(({ appId }) => appId);
}

/** Kills a worker now and then, until every set has ended. */
async function watch(queue, mock, fleet) {
  let killed = 0;
  for (let startedAt = Number.POSITIVE_INFINITY; ; ) {
    const counts = await queue.getJobCounts();
    const {
      prioritized = 0,
      active = 0,
      delayed = 0,
      wait = 0,
      waiting = wait,
      completed = 0,
      failed = 0,
    } = counts;
    const charged = mock.credits.ledger().length;
    if (charged > 0) startedAt = Math.min(startedAt, Date.now());
    show(
      `${prioritized} to begin · ${active} in work · ${delayed + waiting} planned · ${completed} done · ` +
        `${failed} failed · ${charged} charged · ${killed} workers killed`,
    );
    if (completed + failed === sets) return killed;
    if (killed < kills && Date.now() - startedAt > killEveryMs * (killed + 1)) {
      const index = Math.floor(Math.random() * fleet.length);
      fleet[index].kill("SIGKILL");
      fleet[index] = start();
      killed++;
    }
    await delay(100);
  }
}

let shown = "";

function show(line) {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${line}`);
  else if (line !== shown) console.log(line);
  shown = line;
}

/** Compares what the queue says with what the service charged. */
async function judge(queue, mock, appIds, killed) {
  const charges = new Map();
  for (const { body, credits } of mock.requests({ operation: "createScreenshots" })) {
    if (credits > 0) charges.set(body.appId, (charges.get(body.appId) ?? 0) + 1);
  }
  const failed = await queue.getFailed(0, sets);
  const uncertain = failed.filter(({ failedReason }) => failedReason.includes("charged: maybe"));
  const { length: double } = appIds.filter((appId) => (charges.get(appId) ?? 0) > 1);
  const done = await queue.getCompletedCount();
  const { length: paid } = uncertain.filter(({ data }) => charges.has(data.params.appId));
  console.log(
    `\n\nThe ledger after ${killed} kills: ${charges.size} charged, ${done} done, ` +
      `${uncertain.length} uncertain (${paid} of them charged), ${double} double.`,
  );
  if (double > 0 || done + uncertain.length !== sets) process.exitCode = 1;
}

/** That of `REDIS_URL`, else one that lives as long as this process; undefined where none is installed. */
async function findRedis() {
  if (process.env.REDIS_URL) return { url: process.env.REDIS_URL, stop: () => {} };
  const folder = await mkdtemp(join(tmpdir(), "screenshot-sets-demo-"));
  const port = 20_000 + (process.pid % 20_000);
  const settings = `--port ${port} --bind 127.0.0.1 --dir ${folder} --appendonly yes`.split(" ");
  const server = spawn("redis-server", [...settings, "--save", ""], { stdio: ["ignore", "pipe", "ignore"] });
  process.once("exit", () => server.kill("SIGKILL"));
  const isReady = await new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.once("exit", () => resolve(false));
    server.stdout.on("data", (text) => /Ready to accept connections/i.test(text) && resolve(true));
  });
  const stop = async () => {
    server.kill("SIGKILL");
    if (isReady) await once(server, "exit");
    await rm(folder, { recursive: true, force: true });
  };
  if (isReady) return { url: `redis://127.0.0.1:${port}`, stop };
  await stop();
}

if (process.argv[2] === "worker") await work();
else await demonstrate();
