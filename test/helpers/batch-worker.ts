import fs, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";

// A process that runs a batch, or holds its file, until it is killed: by its parent, or by itself at the event whose
// number it was given. Events lie before and after each request, each save, and each step of writing the file. At others it
// suspends itself, or tells its parent.

/** What the process tells its parent. */
export interface Message {
  /** Why a save of a process that only holds the file was refused; empty if it was not. */
  refusal?: string;
  /** The event has come at which it suspends itself, or which it was asked to tell. */
  event?: true;
  /** What it is about to add to the file. */
  appended?: string;
  /** A create that it is about to send, though it has slept since it took the file. */
  sentLate?: string;
  report?: BatchReport;
}

/** How a batch ended that was not killed. */
export interface BatchReport {
  outcomes: { key: string; status: string; jobId?: string; cost?: number; reason?: string }[];
  error?: string;
}

const { STORE = "", SETS, MAX_CREDITS, AGAIN = "[]", CONCURRENCY = "8" } = process.env;
const { CRASH_AT, SLEEP_AT, TELL_AT, FAILING_WRITE, FAILS_AS = "", SPEED = "1" } = process.env;

const tell = (message: Message) => process.send?.(message);

let events = 0;
let isHolder = false;
let hasSlept = false;
async function event(): Promise<void> {
  events++;
  if (events === Number(CRASH_AT)) process.kill(process.pid, "SIGKILL");
  if (events === Number(TELL_AT)) tell({ event: true });
  if (events !== Number(SLEEP_AT)) return;
  // Who looks and then acts at once does both before or after a sleep.
  await nextTurn();
  tell({ event: true });
  process.kill(process.pid, "SIGSTOP");
  hasSlept = isHolder;
}

/** The same function, with an event before and after it. */
function watched<Args extends unknown[], Result>(run: (...args: Args) => Promise<Result>) {
  return async (...args: Args): Promise<Result> => {
    await event();
    const result = await run(...args);
    await event();
    return result;
  };
}

let writes = 0;
/** Opens a file; one write to it fails: before anything of it is in the file, in its middle, or when all of it is. */
async function open(...args: Parameters<typeof fs.open>): Promise<FileHandle> {
  const file = await openFile(...args);
  const append = file.appendFile.bind(file);
  const failing = async (data: Buffer) => {
    if (SETS !== undefined) tell({ appended: String(data) });
    const isFailing = ++writes === Number(FAILING_WRITE);
    const parts: Record<string, number> = { none: 0, part: Math.ceil(data.length / 2) };
    await append(isFailing ? data.subarray(0, parts[FAILS_AS]) : data);
    if (isFailing)
      throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  };
  return Object.assign(file, {
    appendFile: watched(failing),
    datasync: watched(file.datasync.bind(file)),
  });
}
const openFile = fs.open;

Object.assign(fs, { open: watched(open), writeFile: watched(fs.writeFile), rm: watched(fs.rm) });
syncBuiltinESMExports();
const send = watched(globalThis.fetch);
globalThis.fetch = (address, init) => {
  if (hasSlept && init?.method === "POST") tell({ sentLate: String(init.body) });
  return send(address, init);
};

// After that, so that both use what is watched.
const { ScreenshotSets } = await import("screenshot-sets");
const { fileStore, runBatch } = await import("screenshot-sets/batch");
const { lockTimes } = await import("../../src/batch/file-lock.js");
const { recordAge } = await import("../../src/durable/record-age.js");
// A holder counts as dead after a second, and a create that has not left by then never does.
Object.assign(lockTimes, { beatMs: 100, lookMs: 50, looks: 20 });
Object.assign(recordAge, { longestUnsentInBatchMs: 700 });
const store = fileStore(STORE);

if (SETS === undefined) {
  const save = async ([key, next, previous]: [string, unknown, unknown?]) => {
    const refusal = await store.save(key, next, previous).then(
      () => "",
      (error: Error) => error.message,
    );
    tell({ refusal });
  };
  await save(["a", 1]);
  process.on("message", (change) => void save(change as [string, unknown]));
} else {
  const report: BatchReport = { outcomes: [] };
  const speed = Number(SPEED);
  const clock = {
    now: () => performance.now() * speed,
    sleep: (ms: number, signal?: AbortSignal) => delay(ms / speed, undefined, { signal }),
  };
  const client = new ScreenshotSets({ timeoutMs: 60_000 * speed, ...(speed !== 1 && { clock }) });
  const batch = runBatch(client, {
    sets: JSON.parse(SETS),
    store: {
      ...store,
      save: watched(store.save),
      open: async (signal) => {
        await store.open(signal);
        isHolder = true;
      },
    },
    concurrency: Number(CONCURRENCY),
    again: JSON.parse(AGAIN),
    ...(MAX_CREDITS !== undefined && { maxCredits: Number(MAX_CREDITS) }),
  });
  try {
    for await (const { key, status, jobId, credits, reason } of batch) {
      const details = {
        ...(jobId && { jobId }),
        ...(credits && { cost: credits.cost }),
        ...(reason && { reason }),
      };
      report.outcomes.push({ key, status, ...details });
    }
  } catch (error) {
    report.error = `${error} (${(error as Error).cause})`;
  }
  tell({ report });
}

process.once("disconnect", () => process.exit());
