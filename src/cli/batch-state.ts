import { memoryStore } from "../batch/batch-options.js";
import { type BatchStore, fileStore } from "../batch/index.js";
import type { App, CreateAppParams } from "../index.js";
import { appPrefix } from "./batch-file.js";

/** What the state has of an app; without `app`, it is being created, or an earlier run ended meanwhile. */
interface StoredApp {
  params: CreateAppParams;
  app?: App;
}

/** Where a command keeps what it paid for: in a file, or only in memory. */
export function stateIn(file: string | undefined): BatchStore {
  return file === undefined ? memoryStore() : fileStore(file);
}

export async function loadApp(state: BatchStore, name: string): Promise<StoredApp | undefined> {
  return ((await state.load(appPrefix + name)) as StoredApp | null | undefined) ?? undefined;
}

/** @param app `undefined` if it counts as new again */
export async function saveApp(state: BatchStore, name: string, app: StoredApp | undefined): Promise<void> {
  await state.save(appPrefix + name, app ?? null);
}
