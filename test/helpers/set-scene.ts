import { ScreenshotSets, type SucceededJob } from "screenshot-sets";
import {
  memoryStore,
  type SetState,
  type SetStore,
  type StepOptions,
  type StepResult,
  type StoredSet,
  stepSet,
} from "screenshot-sets/durable";
import { createMock, type Mock } from "screenshot-sets/mock";

/** A set that is stepped on a mock, with its record in a store, each time by another process. */
export class SetScene {
  readonly key = "order-7";
  /** The steps of the states that were stored, `"new"` for what counts as new. */
  readonly saved: string[] = [];
  readonly #memory = memoryStore();
  params = { appId: "" as string, device: "iphone-69" as const, count: 3 };

  private constructor(
    readonly mock: Mock,
    private readonly options: StepOptions,
  ) {}

  /** Creates a set for a new app. */
  static async of(mock = createMock({ lifecycle: "instant" }), options: StepOptions = {}): Promise<SetScene> {
    const set = new SetScene(mock, options);
    const { appId } = await set.client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
    set.params = { ...set.params, appId };
    return set;
  }

  /** A new client each time, as in another process. */
  get client(): ScreenshotSets {
    return new ScreenshotSets(this.mock.clientOptions);
  }

  /** How many creates were sent. */
  get creates(): number {
    return this.mock.requests({ operation: "createScreenshots" }).length;
  }

  /** How often the job was polled. */
  get looks(): number {
    return this.mock.requests({ operation: "getJob" }).length;
  }

  get record(): StoredSet | null {
    return this.#memory.load(this.key) as StoredSet | null;
  }

  get state(): SetState | undefined {
    return this.record?.state;
  }

  /** Puts a state into the store, as a step would have stored it. */
  set state(state: unknown) {
    const { baseUrl } = this.mock.clientOptions;
    const record = (state ?? undefined) && { version: 2, baseUrl, params: this.params, state };
    this.#memory.save(this.key, record, this.record);
  }

  get store(): Required<Pick<SetStore, "load" | "save">> {
    return this.storeThrough((_, stores) => stores());
  }

  /** The store with something around each save, which calls `stores` to have it done. */
  storeThrough(around: (next: SetState | undefined, stores: () => boolean) => unknown) {
    const save = (key: string, next: unknown, previous: unknown) => {
      const { state } = Object(next) as Partial<StoredSet>;
      return around(state, () => {
        const isStored = this.#memory.save(key, next, previous) !== false;
        if (isStored) this.saved.push(state?.step ?? "new");
        return isStored;
      });
    };
    return { load: (key: string) => this.#memory.load(key), save };
  }

  /** Runs one step, with a new client and a new copy of the record. */
  async step({
    client = this.client,
    options = this.options,
    store = this.store as SetStore,
  } = {}): Promise<StepResult> {
    return stepSet(client, { key: this.key, params: this.params, store }, options);
  }

  /** Takes steps until the set has succeeded, with the delays between them on the mock's clock. */
  async end(client = this.client): Promise<{ job: SucceededJob; steps: number }> {
    for (let steps = 1; ; steps++) {
      const result = await this.step({ client });
      if (result.status === "succeeded") return { job: result.job, steps };
      if (result.status !== "waiting") throw result.error;
      await this.mock.clock.advance(result.delayMs);
    }
  }
}
