import type { CreateScreenshotsParams } from "../types.js";
import { LearnedPlan } from "./learn/learned-plan.js";

/** How many kinds of jobs are kept apart: more than there are combinations of devices and counts. */
const mostKinds = 128;

/** The kind of job that a create with `params` plans, as a short hash: ten slides may take longer than one. */
export function kindOf(params: CreateScreenshotsParams): string {
  // A later document may drop some of these parameters, and the params of an accepted set may be lost.
  const { device, count, narrativeId }: Record<string, unknown> = Object(params);
  // The service ignores `count` beside a narrative.
  const name = `${device} ${typeof narrativeId === "string" ? JSON.stringify(narrativeId) : count}`;
  let hash = 0;
  for (let index = 0; index < name.length; index++)
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193) + 1;
  return (hash >>> 0).toString(36);
}

/** A line of the learned text: the format's version, a kind, and the text of its plan. */
const line = /^1 ([-*]|[0-9a-z]{1,7}) ([0-9a-z]{4,480})\r?\n?$/;
const [allKinds, noKind] = ["*", "-"];
/** How much of a text is read: more than the joined texts of several clients. */
const mostCharacters = 500_000;

/** The poll plans of a client, one for each kind of job. Rarely seen kinds fall back on what all kinds taught. */
export class PlansByKind {
  /** Also that of all kinds, and that of jobs created elsewhere, whose unknown start must not teach the others. */
  readonly #plans = new Map<string, LearnedPlan>();

  /** @param now as for `LearnedPlan` */
  constructor(now?: () => number) {
    for (const kind of [allKinds, noKind]) this.#plans.set(kind, new LearnedPlan(undefined, now));
  }

  /**
   * The plan for a job.
   *
   * @param kind undefined for a job that was created elsewhere
   */
  of(kind = noKind): LearnedPlan {
    const known = this.#plans.get(kind);
    if (known) return known;
    const [, , ...kinds] = this.#plans.keys();
    if (kinds.length === mostKinds) this.#plans.delete(kinds[0] as string);
    const plan = new LearnedPlan(this.#plans.get(allKinds));
    this.#plans.set(kind, plan);
    return plan;
  }

  /** Everything learned, one line for each kind, so that texts of several clients can be joined and taken back. */
  keep(): string {
    const lines = [...this.#plans].map(([kind, plan]) => `1 ${kind} ${plan.keep()}\n`);
    // A plan that has seen no job keeps nothing.
    return lines.filter((text) => line.test(text)).join("");
  }

  /**
   * Takes back a text that `keep` wrote, in this or another version.
   *
   * @returns whether all of it was valid; invalid lines are ignored
   */
  takeBack(text: unknown): boolean {
    if (typeof text !== "string") return false;
    const lines = text.slice(0, mostCharacters).split("\n");
    const taken = lines.filter((text) => text === "" || this.#takeBackLine(text));
    return taken.join("\n") === text;
  }

  #takeBackLine(text: string): boolean {
    const [, kind, kept] = line.exec(text) ?? [];
    return kept !== undefined && this.of(kind).takeBack(kept);
  }
}
