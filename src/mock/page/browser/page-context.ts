import { createContext } from "preact";

/** An action of the page, and what it is called where it is refused. */
export interface Attempt {
  run(): Promise<unknown>;
  /** What is refused with it, such as the name of a field. */
  subject: string;
  /** The labels of the form's fields, by their names in the control API: a refusal that names one has its label. */
  labels?: Record<string, string> | undefined;
}

/** Runs an action. If it is refused, the alert stands in this place, or on top without one. */
type Act = (attempt: Attempt, place: object | undefined) => void;

/** The function never changes, so components that only act are not rendered with each state. */
export const ActContext = createContext<Act>(() => {});

/** The place of the components within it. */
export const PlaceContext = createContext<object | undefined>(undefined);

/** The last refusal, until it is dismissed or something else is done. */
export interface Problem {
  text: string;
  /** Undefined for one whose place is gone. */
  place: object | undefined;
}

export const ProblemContext = createContext<{
  problem: Problem | undefined;
  dismiss(): void;
  /** Says that a place is gone. */
  leave(place: object): void;
}>({ problem: undefined, dismiss() {}, leave() {} });

/** The time of the mock's clock. */
export const NowContext = createContext(0);
