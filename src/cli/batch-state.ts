import { type FileStore, fileStore, type StoredSet } from "../batch/index.js";
import { setCost } from "../index.js";

/** Where a command keeps what it paid for: in a file, or only in memory. */
export type State = Pick<FileStore, "load" | "save" | "open" | "close">;

export function stateIn(file: string | undefined): State {
  if (file !== undefined) return fileStore(file);
  const values = new Map<string, unknown>();
  return {
    load: async (key) => values.get(key),
    save: async (key, value) => void values.set(key, value),
    open: async () => {},
    close: async () => {},
  };
}

/** A state that sees what is paid for, as it happens. */
export class WatchedState {
  readonly #state: State;
  readonly #onAccepted: (key: string, jobId: string) => void;
  readonly #costs = new Map<string, number>();
  /** The sets that are being ordered, or may have been charged. */
  readonly #uncertain = new Set<string>();
  #price = setCost;

  /** @param onAccepted called when a set was accepted, before that is stored */
  constructor(state: State, onAccepted: (key: string, jobId: string) => void) {
    this.#state = state;
    this.#onAccepted = onAccepted;
  }

  async load(key: string): Promise<unknown> {
    const value = await this.#state.load(key);
    this.#see(key, value);
    return value;
  }

  async save(key: string, value: unknown): Promise<void> {
    const isKnown = this.#costs.has(key);
    const jobId = this.#see(key, value);
    if (jobId !== undefined && !isKnown) this.#onAccepted(key, jobId);
    await this.#state.save(key, value);
  }

  /** The credits that were charged. */
  get spent(): number {
    return [...this.#costs.values()].reduce((sum, cost) => sum + cost, 0);
  }

  /** The credits that may have been charged besides. */
  get maybeSpent(): number {
    return this.#uncertain.size * this.#price;
  }

  #see(key: string, value: unknown): string | undefined {
    const state = (value as StoredSet | null | undefined)?.state;
    if (state?.step === "sending") this.#uncertain.add(key);
    else this.#uncertain.delete(key);
    if (state?.step !== "accepted") return undefined;
    // Some documents write numbers as text, and an answer may lack them.
    const cost = Number(state.credits?.cost ?? this.#price);
    this.#price = cost;
    this.#costs.set(key, cost);
    return state.jobId;
  }
}
