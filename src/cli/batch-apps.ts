import { type App, ConfigurationError, type CreateAppParams, ScreenshotSetsError } from "../index.js";
import { appPrefix, type Wanted } from "./batch-file.js";
import type { State } from "./batch-state.js";
import { UsageError } from "./command.js";
import { printableLine } from "./output.js";
import { nameOf } from "./result.js";
import type { Session } from "./session.js";

/** What the state has of an app; without `app`, it is being created, or an earlier run ended meanwhile. */
interface StoredApp {
  params: CreateAppParams;
  app?: App;
}

/** Nobody knows whether an app was created, and at what cost: the document does not tell either. */
export class UncertainApp extends Error {
  override name = "UncertainApp";
}

/**
 * The ids of the apps of a batch. Each app is created once, over all runs.
 *
 * @param needed the names of the apps that sets need now; others are only looked up
 * @returns the id of each app, or the error because of which it has none
 * @throws {UsageError} for an app that was created from another listing before
 */
export async function appIds(
  wanted: Wanted,
  needed: ReadonlySet<string>,
  state: Pick<State, "load" | "save">,
  session: Session,
): Promise<Map<string, App["appId"] | Error>> {
  const stored = new Map<string, StoredApp>();
  for (const [name, params] of wanted.apps) {
    const known = (await state.load(appPrefix + name)) as StoredApp | null | undefined;
    if (!known) continue;
    if (JSON.stringify(known.params) !== JSON.stringify(params)) {
      throw new UsageError(
        printableLine(
          `The app ${name} was created from another listing before. Give the changed one another name.`,
        ),
      );
    }
    stored.set(name, known);
  }
  const ids = new Map<string, App["appId"] | Error>();
  for (const [name, params] of wanted.apps) {
    const known = stored.get(name);
    if (known) ids.set(name, known.app?.appId ?? uncertain(name));
    else if (needed.has(name) && !session.signal.aborted)
      ids.set(name, await created(name, params, state, session));
  }
  return ids;
}

async function created(
  name: string,
  params: CreateAppParams,
  state: Pick<State, "save">,
  { client, table }: Session,
): Promise<App["appId"] | Error> {
  await state.save(appPrefix + name, { params });
  try {
    const app = await client.apps.create(params);
    await state.save(appPrefix + name, { params, app });
    table?.say(`App ${app.appId} was created: ${nameOf(app)}`);
    return app.appId;
  } catch (error) {
    if (!(error instanceof ScreenshotSetsError)) throw error;
    if (error.charged === "no") await state.save(appPrefix + name, null);
    if (error.name === "AuthenticationError" || error instanceof ConfigurationError) throw error;
    return error;
  }
}

const uncertain = (name: string) =>
  new UncertainApp(
    `An earlier run ended while the app ${name} was created, so it may exist, and may have been charged. To create it again, give it another name; or give its sets its appId.`,
  );
