import { memoryStore } from "../batch/batch-options.js";
import { storeIn } from "../batch/file-store.js";
import type { BatchStore } from "../batch/index.js";
import { changedFields, checkService, type StoredCause } from "../batch/stored-set.js";
import type { App, CreateAppParams } from "../index.js";
import { isRecord } from "../schema/parse.js";
import { appPrefix } from "./batch-file.js";
import { UsageError } from "./command.js";
import { printableLine } from "./output.js";

/** What the state has of an app; without `app`, nobody knows whether it was created. */
export interface StoredApp {
  /** The address of the service that it was ordered from. */
  baseUrl?: string | undefined;
  params: CreateAppParams;
  app?: App | undefined;
  /** Why nobody knows, if that was seen. */
  cause?: StoredCause | undefined;
}

/**
 * Where a command keeps what it paid for: in a file, or only in memory.
 *
 * @param onWait called when the file is locked, and it takes a moment to see whether by a living process
 */
export function stateIn(file: string | undefined, onWait: () => void): BatchStore {
  return file === undefined ? memoryStore() : storeIn(file, onWait);
}

/**
 * What a state has of an app.
 *
 * @param baseUrl the client's; undefined if there is none
 * @throws {UsageError} for an app that was created from another listing before, or is broken
 * @throws {ConfigurationError} for one that was ordered from another service
 */
export async function loadApp(
  state: Pick<BatchStore, "load">,
  name: string,
  params: CreateAppParams,
  baseUrl: string | undefined,
): Promise<StoredApp | undefined> {
  const known = ((await state.load(appPrefix + name)) ?? undefined) as StoredApp | undefined;
  if (known === undefined) return undefined;
  const { appId = "" } = Object(known.app ?? {}) as Partial<App>;
  if (!isRecord(known.params) || (known.app !== undefined && (typeof appId !== "string" || appId === ""))) {
    throw new UsageError(printableLine(`What the state has of the app ${name} is broken.`));
  }
  checkService(`The app ${name}`, known.baseUrl, baseUrl);
  if (changedFields(known.params, params).length === 0) return known;
  throw new UsageError(
    printableLine(
      `The app ${name} was created from another listing before. Give the changed one another name.`,
    ),
  );
}

/** @param app `undefined` if it counts as new again */
export async function saveApp(state: BatchStore, name: string, app: StoredApp | undefined): Promise<void> {
  await state.save(appPrefix + name, app ?? null);
}
