import type { Creates } from "../batch/creates.js";
import type { SetStore } from "../batch/index.js";
import { recordAge, recorder, Unsent } from "../durable/record-age.js";
import { causeOf } from "../durable/set-state.js";
import { ScreenshotSetsError } from "../index.js";
import { setAccess } from "../set-access.js";
import type { Wanted } from "./batch-file.js";
import { loadApp, type StoredApp, saveApp } from "./batch-state.js";
import { UsageError } from "./command.js";
import type { Outcome } from "./outcome-text.js";
import { printableLine } from "./output.js";
import { nameOf } from "./result.js";
import type { Session } from "./session.js";

/** Nobody knows whether an app was created, and at what cost: the document does not tell either. */
class UnclearApp extends Error {
  override name = "UnclearApp";
}

/** The id of an app, or how the sets that need it end. */
export type AppEnd = { appId: string } | { outcomeOf(key: string): Outcome };

/** The apps of a batch. Each is created once, over all runs, when the first of its sets is about to be ordered. */
export class BatchApps {
  /** In this run. */
  readonly #ends = new Map<string, Promise<AppEnd>>();

  private constructor(
    private readonly wanted: Wanted,
    private readonly stored: ReadonlyMap<string, StoredApp>,
    /** The apps that are unclear, and are to be created once more. */
    private readonly again: ReadonlySet<string>,
    private readonly state: SetStore,
    private readonly session: Session,
  ) {}

  /**
   * Reads what the state has of the apps, before anything is sent.
   *
   * @throws {UsageError} for an app that was created from another listing before, and a set that was ordered for another
   */
  static async load(wanted: Wanted, again: ReadonlySet<string>, state: SetStore, session: Session) {
    const { baseUrl } = session.client[setAccess];
    const stored = new Map<string, StoredApp>();
    for (const [name, params] of wanted.apps) {
      const known = await loadApp(state, name, params, baseUrl);
      if (known) stored.set(name, known);
    }
    for (const [key, { app }] of wanted.sets) {
      if (app === undefined || stored.has(app) || !(await state.load(key))) continue;
      const message = `The set ${key} was ordered for another app than ${app} before. Give it another key.`;
      throw new UsageError(printableLine(message));
    }
    const named = [...wanted.sets].filter(([key]) => again.has(key)).map(([, { app }]) => app as string);
    return new BatchApps(wanted, stored, new Set(named), state, session);
  }

  /** The id of an app that is known from the start. */
  knownId(name: string): string | undefined {
    return this.stored.get(name)?.app?.appId;
  }

  /** Creates an app, unless that was done before in this run. */
  create(name: string, creates: Creates, signal: AbortSignal): Promise<AppEnd> {
    const end = this.#ends.get(name) ?? this.#create(name, creates, signal);
    this.#ends.set(name, end);
    return end;
  }

  async #create(name: string, creates: Creates, signal: AbortSignal): Promise<AppEnd> {
    const before = this.stored.get(name);
    if (before && !this.again.has(name)) return unclear(foundUnclear(name, before));
    const access = this.session.client[setAccess];
    const params = this.wanted.apps.get(name) as StoredApp["params"];
    const sending: StoredApp = { baseUrl: access.baseUrl, params };
    let isRecorded = false;
    const record = recorder(access, signal, recordAge.longestUnsentInBatchMs, () => {
      isRecorded = true;
      return saveApp(this.state, name, sending, before);
    });
    const { app, error } = await access.createApp(params, { signal, record }).then(
      (app) => ({ app, error: undefined }),
      (error: unknown) => ({ app: undefined, error }),
    );
    if (app) {
      creates.accepted();
      this.session.live.say(`App ${app.appId} was created: ${nameOf(app)}`);
      await saveApp(this.state, name, { ...sending, app }, sending);
      return { appId: app.appId };
    }
    if (error instanceof ScreenshotSetsError && error.charged !== "no") {
      await saveApp(this.state, name, { ...sending, cause: causeOf(error) }, sending);
      creates.unclear();
      return unclear(error);
    }
    if (error instanceof Unsent && error.why === "not saved") throw error.cause;
    if (isRecorded) await saveApp(this.state, name, before, sending);
    // A process that has slept begins anew.
    if (error instanceof Unsent) return this.#create(name, creates, signal);
    if (!(error instanceof ScreenshotSetsError)) throw error;
    return { outcomeOf: (key) => creates.refused(key, error) };
  }
}

const unclear = (error: Error): AppEnd => ({
  outcomeOf: (key) => ({ key, status: "skipped", reason: "unclear", error }),
});

function foundUnclear(name: string, { cause }: StoredApp): UnclearApp {
  const why = cause ? ` (${cause.message})` : "";
  return new UnclearApp(
    `An earlier run did not learn whether the app ${name} was created${why}. It may have been charged: give its sets its appId, or create it once more with --again KEY.`,
  );
}
