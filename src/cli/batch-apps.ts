import { appPrefix } from "../batch/batch-options.js";
import type { Creates } from "../batch/creates.js";
import type { SetStore } from "../batch/index.js";
import { Tries } from "../batch/tries.js";
import { recordAge } from "../durable/record-age.js";
import { recordedCreate, Unsent } from "../durable/recorded-create.js";
import { causeOf, type StoredCause } from "../durable/set-state.js";
import { changedFields, checkService } from "../durable/set-store.js";
import { pauseAfterNoCharge } from "../durable/step.js";
import {
  type App,
  type CreateAppParams,
  type CreateScreenshotsParams,
  ScreenshotSetsError,
} from "../index.js";
import { isRecord } from "../schema/parse.js";
import { setAccess } from "../set-access.js";
import type { Wanted } from "./batch-file.js";
import { UsageError } from "./command.js";
import type { Outcome } from "./outcome-text.js";
import { printableLine } from "./output.js";
import type { Session } from "./session.js";

/** What the state has of an app; without `app`, nobody knows whether it was created. */
interface StoredApp {
  /** The address of the service that it was ordered from. */
  baseUrl?: string | undefined;
  params: CreateAppParams;
  app?: App | undefined;
  /** Why nobody knows, if that was seen. */
  cause?: StoredCause | undefined;
}

/** What the state has of the apps of a batch, by their names. */
export type StoredApps = ReadonlyMap<string, StoredApp>;

/**
 * Reads what the state has of the apps of a batch.
 *
 * @param baseUrl the client's; undefined if there is none
 * @throws {UsageError} for an app that was created from another listing before, or is broken, and for a set that was
 *   ordered for another app
 * @throws {ConfigurationError} for an app that was ordered from another service
 */
export async function loadApps(
  wanted: Wanted,
  state: Pick<SetStore, "load">,
  baseUrl: string | undefined,
): Promise<StoredApps> {
  const stored = new Map<string, StoredApp>();
  for (const [name, params] of wanted.apps) {
    const found = (await state.load(appPrefix + name)) as StoredApp | undefined | null;
    if (!found) continue;
    const appId: unknown = found.app?.appId;
    const isWhole = isRecord(found.params) && (!found.app || (typeof appId === "string" && appId !== ""));
    if (!isWhole) throw new UsageError(`What the state has of the app ${name} is broken.`);
    checkService(`The app ${name}`, found.baseUrl, baseUrl);
    if (changedFields(found.params, params).length > 0) {
      throw new UsageError(
        `The app ${name} was created from another listing before. Give the changed one another name.`,
      );
    }
    stored.set(name, found);
  }
  for (const [key, { app }] of wanted.sets) {
    if (app === undefined || stored.has(app) || !(await state.load(key))) continue;
    throw new UsageError(
      `The set ${key} was ordered for another app than ${app} before. Give it another key.`,
    );
  }
  return stored;
}

/** The sets of a batch, each with the id of its app if that is known. */
export function setsOf(wanted: Wanted, stored: StoredApps): [key: string, CreateScreenshotsParams][] {
  return [...wanted.sets].map(([key, { app, params }]) => {
    const appId = app === undefined ? params.appId : stored.get(app)?.app?.appId;
    return [key, { ...params, ...(appId !== undefined && { appId }) } as CreateScreenshotsParams];
  });
}

/** The apps that are to be created once more if they are unclear: those of sets that are to be ordered once more. */
export function appsAgain(wanted: Wanted, again: readonly string[] = []): ReadonlySet<string | undefined> {
  return new Set(again.map((key) => wanted.sets.get(key)?.app));
}

/** Nobody knows whether an app was created, and at what cost: the document does not tell either. */
class UnclearApp extends Error {
  override name = "UnclearApp";
}

/** The id of an app, or how the sets that need it end. */
type AppEnd = { appId: string } | { outcomeOf(key: string): Outcome };

/** The apps of a batch. Each is created once, over all runs, when the first of its sets is about to be ordered. */
export class BatchApps {
  /** How the creation of each app ended, in this run. */
  readonly #ends = new Map<string, Promise<AppEnd>>();

  constructor(
    private readonly wanted: Wanted,
    private readonly stored: StoredApps,
    private readonly again: ReturnType<typeof appsAgain>,
    private readonly state: SetStore,
    private readonly session: Session,
  ) {}

  /** Creates an app, unless that was done before in this run. */
  create(name: string, creates: Creates, signal: AbortSignal): Promise<AppEnd> {
    const end = this.#ends.get(name) ?? this.#create(name, creates, signal);
    this.#ends.set(name, end);
    return end;
  }

  async #create(name: string, creates: Creates, signal: AbortSignal): Promise<AppEnd> {
    const before = this.stored.get(name);
    if (before && !this.again.has(name)) return unclear(foundUnclear(name, before));
    const { clock } = this.session.client[setAccess];
    const tries = new Tries(clock);
    for (;;) {
      const end = await this.#createOnce(name, before, creates, signal);
      if (!(end instanceof Error)) return end;
      const { isTransient, delayMs } = pauseAfterNoCharge(end);
      if (!(end instanceof Unsent || (isTransient && tries.mayRetry(end, delayMs))))
        return { outcomeOf: (key) => creates.refused(key, end) };
      // An abort ends the pause, and the next try then sends nothing.
      await clock.sleep(delayMs, signal).catch(() => {});
    }
  }

  /** Sends one create. Resolves to why nothing was charged, if nothing was. */
  async #createOnce(
    name: string,
    before: StoredApp | undefined,
    creates: Creates,
    signal: AbortSignal,
  ): Promise<AppEnd | ScreenshotSetsError | Unsent> {
    const access = this.session.client[setAccess];
    const params = this.wanted.apps.get(name) as CreateAppParams;
    const sending: StoredApp = { baseUrl: access.baseUrl, params };
    const end = await recordedCreate((call) => access.createApp(params, call), {
      clock: access.clock,
      signal,
      longestUnsentMs: recordAge.longestUnsentInBatchMs,
      save: () => this.#save(name, sending, before),
      remove: () => this.#save(name, before, sending),
    });
    if ("answer" in end) {
      const app = end.answer;
      creates.accepted();
      this.session.sayCreated(app);
      await this.#save(name, { ...sending, app }, sending);
      return { appId: app.appId };
    }
    if ("unclear" in end) {
      await this.#save(name, { ...sending, cause: causeOf(end.unclear) }, sending);
      creates.unclear();
      return unclear(end.unclear);
    }
    const { uncharged } = end;
    if (uncharged instanceof Unsent || uncharged instanceof ScreenshotSetsError) return uncharged;
    throw uncharged;
  }

  /** @param next undefined if the app counts as new again */
  async #save(name: string, next: StoredApp | undefined, previous: StoredApp | undefined): Promise<void> {
    const isStored = (await this.state.save(appPrefix + name, next ?? null, previous ?? null)) !== false;
    if (isStored) return;
    throw new Error(printableLine(`Something else has changed what the state has of the app ${name}.`));
  }
}

const unclear = (error: Error): AppEnd => ({
  outcomeOf: (key) => ({ key, status: "skipped", reason: "unclear", error }),
});

export function foundUnclear(name: string, { cause }: StoredApp): UnclearApp {
  const why = cause ? ` (${cause.message})` : "";
  return new UnclearApp(
    `An earlier run did not learn whether the app ${name} was created${why}. It may have been charged: use its id in place of the listing (appId in FILE, --app-id), or, with batch, create it once more with --again KEY.`,
  );
}
