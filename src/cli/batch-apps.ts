import type { BatchStore } from "../batch/index.js";
import { type App, ConfigurationError, type CreateAppParams, ScreenshotSetsError } from "../index.js";
import type { Wanted } from "./batch-file.js";
import { loadApp, saveApp } from "./batch-state.js";
import { UsageError } from "./command.js";
import { printableLine } from "./output.js";
import { nameOf } from "./result.js";
import type { Session } from "./session.js";

/** Nobody knows whether an app was created, and at what cost: the document does not tell either. */
export class UncertainApp extends Error {
  override name = "UncertainApp";
}

/**
 * The ids of the apps of a batch. Each app is created once, over all runs, and only for a set that is new.
 *
 * @returns the id of each app, or the error because of which it has none
 * @throws {UsageError} for an app that was created from another listing before
 */
export async function appIds(
  { apps, sets }: Wanted,
  state: BatchStore,
  session: Session,
): Promise<Map<string, App["appId"] | Error>> {
  const ids = new Map<string, App["appId"] | Error>();
  for (const [name, params] of apps) {
    const known = await loadApp(state, name);
    if (!known) continue;
    if (JSON.stringify(known.params) !== JSON.stringify(params)) {
      throw new UsageError(
        printableLine(
          `The app ${name} was created from another listing before. Give the changed one another name.`,
        ),
      );
    }
    ids.set(name, known.app?.appId ?? uncertain(name));
  }
  for (const [key, { app: name }] of sets) {
    const params = name !== undefined && !ids.has(name) && apps.get(name);
    if (!params || session.signal.aborted || (await state.load(key))) continue;
    ids.set(name, await created(name, params, state, session));
  }
  return ids;
}

async function created(
  name: string,
  params: CreateAppParams,
  state: BatchStore,
  { client, live }: Session,
): Promise<App["appId"] | Error> {
  await saveApp(state, name, { params });
  try {
    const app = await client.apps.create(params);
    await saveApp(state, name, { params, app });
    live.say(`App ${app.appId} was created: ${nameOf(app)}`);
    return app.appId;
  } catch (error) {
    if (!(error instanceof ScreenshotSetsError)) throw error;
    if (error.charged === "no") await saveApp(state, name, undefined);
    if (error.name === "AuthenticationError" || error instanceof ConfigurationError) throw error;
    return error;
  }
}

const uncertain = (name: string) =>
  new UncertainApp(
    `An earlier run ended while the app ${name} was created, so it may exist, and may have been charged. To create it again, give it another name; or give its sets its appId.`,
  );
