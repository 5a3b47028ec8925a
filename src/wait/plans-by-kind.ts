import type { CreateScreenshotsParams } from "../types.js";
import { LearnedPlan } from "./learn/learned-plan.js";

/** Kinds of jobs that are told apart: more than there are devices and counts. */
const mostKinds = 128;

/** What jobs are told apart by; a later document may have it no longer. */
interface SetKind {
  device?: unknown;
  count?: unknown;
  narrativeId?: unknown;
}

/** What kind of job a create with `params` plans, as a short hash: ten slides may take longer than one. */
export function kindOf(params: CreateScreenshotsParams): string {
  const { device, count, narrativeId }: SetKind = params;
  // The service ignores `count` beside a narrative.
  const name = `${device} ${typeof narrativeId === "string" ? JSON.stringify(narrativeId) : count}`;
  let hash = 0;
  for (let index = 0; index < name.length; index++)
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193) + 1;
  return (hash >>> 0).toString(36);
}

/** A line of what was learned: the version of this form, a kind, and what its plan kept. */
const line = /^1 ([-*]|[0-9a-z]{1,7}) ([0-9a-z]{4,480})\r?$/;
const [allKinds, noKind] = ["*", "-"];
/** So much of a text is read: more than some clients together keep. */
const mostLines = 1_000;
const mostCharacters = 500_000;

/** The poll plans of a client: one for each kind of job. Kinds that were seen little share what all of them taught. */
export class PlansByKind {
  readonly #all: LearnedPlan;
  readonly #kinds = new Map<string, LearnedPlan>();
  /** For jobs that were created elsewhere: since when they run is not known, so they teach the others nothing. */
  readonly #others: LearnedPlan;

  #forgotten = 0;

  /** @param now as of `LearnedPlan` */
  constructor(now?: () => number) {
    this.#all = new LearnedPlan(undefined, now);
    this.#others = new LearnedPlan(undefined, now);
  }

  /**
   * The plan for a job.
   *
   * @param kind undefined for a job that was created elsewhere
   */
  of(kind: string | undefined): LearnedPlan {
    if (kind === undefined) return this.#others;
    const plan = this.#kinds.get(kind) ?? new LearnedPlan(this.#all);
    if (this.#kinds.size === mostKinds && !this.#kinds.has(kind)) this.#forgetOne();
    this.#kinds.set(kind, plan);
    return plan;
  }

  /** What was learned, a line for each kind, so that the texts of several clients can be taken back as one. */
  keep(): string {
    const plans: [string, LearnedPlan][] = [[allKinds, this.#all], [noKind, this.#others], ...this.#kinds];
    return plans
      .map(([kind, plan]) => [kind, plan.keep()])
      .filter(([, kept]) => kept !== "")
      .map(([kind, kept]) => `1 ${kind} ${kept}\n`)
      .join("");
  }

  /**
   * Takes back what this or other versions kept.
   *
   * @returns whether all of it made sense; what does not is ignored
   */
  takeBack(text: unknown): boolean {
    if (typeof text !== "string") return false;
    const lines = text.slice(0, mostCharacters).split("\n", mostLines);
    const taken = lines.filter((text) => text === "" || this.#takeBackLine(text));
    return taken.length === lines.length && taken.join("\n").length === text.length;
  }

  #takeBackLine(text: string): boolean {
    const [, kind, kept] = line.exec(text) ?? [];
    if (kind === undefined || kept === undefined) return false;
    const plan = kind === allKinds ? this.#all : this.of(kind === noKind ? undefined : kind);
    return plan.takeBack(kept);
  }

  /** Forgets any kind: were it the oldest, then of some kinds too many, in turn, none would ever be known. */
  #forgetOne(): void {
    const kind = [...this.#kinds.keys()][(this.#forgotten++ * 53) % mostKinds];
    this.#kinds.delete(kind as string);
  }
}
