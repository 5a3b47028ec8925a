import { createContext } from "preact";

/** Runs an action and shows its error as an alert. */
type Act = (action: () => Promise<unknown>) => void;

/** The function never changes, so components that only act are not rendered with each state. */
export const ActContext = createContext<Act>(() => {});

/** The time of the mock's clock. */
export const NowContext = createContext(0);
