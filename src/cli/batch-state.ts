import { appPrefix } from "../batch/batch-options.js";
import { storeIn } from "../batch/file-store.js";
import { memoryStore, type SetStore } from "../batch/index.js";
import type { StoredCause } from "../durable/set-state.js";
import { changedFields, checkService } from "../durable/set-store.js";
import type { App, CreateAppParams } from "../index.js";
import { isRecord } from "../schema/parse.js";
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
export function stateIn(file: string | undefined, onWait: () => void): SetStore {
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
  state: Pick<SetStore, "load">,
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

/**
 * @param next `undefined` if the app counts as new again
 * @param previous what was loaded or last saved
 */
export async function saveApp(
  state: SetStore,
  name: string,
  next: StoredApp | undefined,
  previous: StoredApp | undefined,
): Promise<void> {
  const isStored = (await state.save(appPrefix + name, next ?? null, previous ?? null)) !== false;
  if (!isStored)
    throw new Error(printableLine(`Something else has changed what the state has of the app ${name}.`));
}
