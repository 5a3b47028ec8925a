import type { SetAccess } from "../set-access.js";
import { create } from "./create-step.js";
import { createFound, createLost, historiesJoined } from "./interruptions.js";
import { look } from "./look-step.js";
import { recordAge } from "./record-age.js";
import {
  type AcceptedSet,
  checkedState,
  errorOf,
  joinedHistories,
  type SendingSet,
  type SetState,
} from "./set-state.js";
import {
  type EndedStep,
  ended,
  type Step,
  type Stepped,
  stepDelays,
  uncertain,
  waiting,
  wholeMs,
} from "./step.js";

/** Takes one step of one set. A create is sent only after a record of it was saved, never if there already is one. */
export async function takeStep(step: Step): Promise<Stepped> {
  const state = checkedState(step.state);
  if (state === undefined) return create(step);
  if (state.step === "accepted") return look(step, state);

  const inFlightForMs = step.isAlone || state.step !== "sending" ? 0 : leftInFlightMs(state, step.access);
  // Another step may be at it: a second delivery, or a process that is slow.
  return inFlightForMs > 0
    ? waiting(state, wholeMs(Math.min(inFlightForMs, stepDelays.refusedMs)))
    : endIn(state);
}

/** How long the create of a record may still be under way; NaN for a time that is none. */
export function leftInFlightMs({ at }: SendingSet, { now, timeoutMs }: SetAccess): number {
  const { longestTimeoutMs, graceMs } = recordAge;
  // A record from the future, by the clock of another machine, ages too.
  return Math.min(timeoutMs, longestTimeoutMs) + graceMs - Math.abs(now() - at);
}

/** How a set ended whose state allows no further request. */
export function endIn(state: Exclude<SetState, AcceptedSet>): EndedStep {
  if (state.step === "ended") return ended(state);
  if (state.step === "sending" || !state.cause) return uncertain(state, createFound(state.at));
  const cause = errorOf(state.cause);
  const isJoined = cause.name === joinedHistories;
  return uncertain(state, isJoined ? historiesJoined(cause, state.jobId) : createLost(cause));
}
