import { isSame } from "./is-same.js";
import type { SetState } from "./set-state.js";
import { checkOrder, type SetStore, type StoredSet, storedIn, storedVersion } from "./set-store.js";

/** What a store has of one set. Only its methods change it. */
export class SetRecord {
  /** How far the set is; undefined for a new one, and for one that is being ordered once more. */
  state: SetState | undefined;
  /** How the order ended that is being repeated. */
  repeated: SetState | undefined;
  /** What was loaded, after its checks; undefined for nothing. */
  stored: StoredSet | undefined;
  /** The value that was loaded. */
  #found: unknown;
  /** The very value that was loaded or saved last, since a store compares with that. */
  #stands: unknown;

  /** @param order what the set is ordered with; its parameters may be completed before the first save */
  constructor(
    private readonly store: Pick<SetStore, "load" | "save">,
    private readonly key: string,
    readonly order: Pick<StoredSet, "baseUrl" | "params">,
  ) {}

  /**
   * Reads the set. An order that another process has changed meanwhile is repeated no longer.
   *
   * @throws {ConfigurationError} for what no step saved, or what was not ordered so
   */
  async load(): Promise<void> {
    const found = await this.store.load(this.key);
    const stored = storedIn(this.key, found);
    if (stored) checkOrder(this.key, stored, this.order);
    if (!isSame(found, this.#found)) this.repeated = undefined;
    this.#found = found;
    this.#stands = found;
    this.stored = stored;
    this.state = this.repeated ? undefined : stored?.state;
  }

  /** Lets the set be ordered once more. What is stored stays until a new state is saved. */
  repeat(): void {
    this.repeated = this.state;
    this.state = undefined;
  }

  /** Stores a state in place of another: see `SetStore`. */
  async save(next: SetState | undefined, previous: SetState | undefined): Promise<unknown> {
    const before = this.#stands;
    // What it tells has happened, stored or not.
    this.state = next;
    // A repeated order that is refused leaves the order before it.
    this.#stands = next === undefined ? this.#found : this.#recordOf(next);
    const isStored = await this.store.save(this.key, this.#stands, before);
    const isAcceptance = next?.step === "accepted" && previous?.step === "sending";
    return isStored === false && isAcceptance ? this.#names(next.jobId) : isStored;
  }

  /** Whether what is stored names a job: the reply to a save may have been lost, and others have gone on from it. */
  async #names(jobId: string): Promise<boolean> {
    const { state, earlier = [] } = storedIn(this.key, await this.store.load(this.key)) ?? {};
    return [state, ...earlier].some((one) => one !== undefined && "jobId" in one && one.jobId === jobId);
  }

  /** Goes on with a state that no later process needs: what is stored stays. */
  passOver(next: SetState): void {
    this.state = next;
  }

  #recordOf(state: SetState): StoredSet {
    const { earlier = [] } = this.stored ?? {};
    const all = this.repeated ? [...earlier, this.repeated] : earlier;
    return { version: storedVersion, ...this.order, state, ...(all.length > 0 && { earlier: all }) };
  }
}
