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
 * The ids of the apps of a batch. Each app is created once, over all runs.
 *
 * @returns the id of each app, or the error because of which it has none
 * @throws {UsageError} for an app that was created from another listing before, and a set that was ordered for another
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
      throw mistake(
        `The app ${name} was created from another listing before. Give the changed one another name.`,
      );
    }
    ids.set(name, known.app?.appId ?? uncertain(name));
  }
  const missing = new Set<string>();
  for (const [key, { app }] of sets) {
    if (app === undefined || ids.has(app)) continue;
    if (await state.load(key)) {
      throw mistake(`The set ${key} was ordered for another app than ${app} before. Give it another key.`);
    }
    missing.add(app);
  }
  for (const name of missing) {
    if (session.signal.aborted) break;
    ids.set(name, await created(name, apps.get(name) as CreateAppParams, state, session));
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

const mistake = (message: string) => new UsageError(printableLine(message));

const uncertain = (name: string) =>
  new UncertainApp(
    `An earlier run ended while the app ${name} was created, so it may exist, and may have been charged. To create it again, give it another name; or give its sets its appId.`,
  );
