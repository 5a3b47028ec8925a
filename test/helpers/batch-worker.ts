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

Object.assign(fs, { rename: watched(fs.rename), link: watched(fs.link), open: watched(fs.open) });
syncBuiltinESMExports();
globalThis.fetch = watched(globalThis.fetch);

// After that, so that both use what is watched.
const { ScreenshotSets } = await import("screenshot-sets");
const { fileStore, runBatch } = await import("screenshot-sets/batch");
const store = fileStore(STORE);

if (SETS === undefined) {
  const refusal = await store.save("a", 1).catch((error: Error) => error.message);
  process.send?.({ refusal });
  setInterval(() => {}, 1000);
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
