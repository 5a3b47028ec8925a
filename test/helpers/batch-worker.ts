import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

// A process that runs a batch, or holds its file, until it is killed: by its parent, or by itself at the event whose
// number it was given. Events lie before and after each request, each save, and each step of writing the file.

const { STORE = "", SETS, MAX_CREDITS, CRASH_AT = "Infinity" } = process.env;

let events = 0;
function event(): void {
  if (++events === Number(CRASH_AT)) process.kill(process.pid, "SIGKILL");
}

/** The same function, with an event before and after it. */
function watched<Args extends unknown[], Result>(run: (...args: Args) => Promise<Result>) {
  return async (...args: Args): Promise<Result> => {
    event();
    const result = await run(...args);
    event();
    return result;
  };
}

Object.assign(fs, { open: watched(fs.open), writeFile: watched(fs.writeFile), rm: watched(fs.rm) });
syncBuiltinESMExports();
globalThis.fetch = watched(globalThis.fetch);

// After that, so that both use what is watched.
const { ScreenshotSets } = await import("screenshot-sets");
const { fileStore, runBatch } = await import("screenshot-sets/batch");
const { lockTimes } = await import("../../src/batch/file-lock.js");
Object.assign(lockTimes, { beatMs: 100, lookMs: 50, looks: 20 });
const store = fileStore(STORE);

if (SETS === undefined) {
  const save = async ([key, next, previous]: [string, unknown, unknown?]) => {
    const refusal = await store.save(key, next, previous).then(
      () => undefined,
      (error: Error) => error.message,
    );
    process.send?.({ refusal });
  };
  await save(["a", 1]);
  process.on("message", (change) => void save(change as [string, unknown]));
} else {
  const outcomes: object[] = [];
  const watchedStore = { ...store, save: watched(store.save) };
  const options = {
    sets: JSON.parse(SETS),
    store: watchedStore,
    concurrency: 8,
    ...(MAX_CREDITS !== undefined && { maxCredits: Number(MAX_CREDITS) }),
  };
  for await (const { key, status, credits, reason } of runBatch(new ScreenshotSets(), options)) {
    outcomes.push({ key, status, cost: credits?.cost, reason });
  }
  process.send?.({ outcomes });
}

process.once("disconnect", () => process.exit());
