import { ScreenshotSets, type SucceededJob } from "screenshot-sets";
import { type SetState, type StepOptions, type StepResult, stepSet } from "screenshot-sets/durable";
import { createMock, type Mock } from "screenshot-sets/mock";

/** A set whose state is stored as text, as in a database. */
export class StoredSet {
  readonly saved: (SetState | undefined)[] = [];
  params = { appId: "" as string, device: "iphone-69" as const, count: 3 };
  #text: string | undefined;

  private constructor(
    readonly mock: Mock,
    private readonly options: StepOptions,
  ) {}

  /** Creates a set for a new app. */
  static async of(mock = createMock(), options: StepOptions = {}): Promise<StoredSet> {
    const set = new StoredSet(mock, options);
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

  get state(): SetState | undefined {
    return this.#text && JSON.parse(this.#text);
  }

  set state(state: unknown) {
    this.#text = JSON.stringify(state);
  }

  /** Stores a state, if the previous one is stored. */
  readonly save = async (state: SetState | undefined, previous: unknown): Promise<boolean> => {
    if (JSON.stringify(previous ?? null) !== (this.#text ?? "null")) return false;
    this.saved.push(state);
    this.state = state;
    return true;
  };

  /** Runs one step, with a new client and a new copy of the state. */
  async step({ save = this.save, client = this.client, options = this.options } = {}): Promise<StepResult> {
    return stepSet(client, { params: this.params, state: this.state }, save, options);
  }

  /** Takes steps until the set has succeeded, with the delays between them on the mock's clock. */
  async end(client = this.client): Promise<{ job: SucceededJob; steps: number; waitedMs: number }> {
    for (let steps = 1, waitedMs = 0; ; steps++) {
      const result = await this.step({ client });
      if (result.status === "succeeded") return { job: result.job, steps, waitedMs };
      if (result.status !== "waiting") throw result.error;
      waitedMs += result.delayMs;
      await this.mock.clock.advance(result.delayMs);
    }
  }
}
