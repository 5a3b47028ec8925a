import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { State } from "../schemas.js";

/** Does something; a refusal becomes an alert. Resolves to whether it was done. */
type Act = (action: () => Promise<unknown>) => Promise<boolean>;

/** An action stays the same, so that who only acts is not drawn with each state. */
export const ActContext = createContext<Act>(async () => false);

export const useAct = (): Act => useContext(ActContext);

/** The time of the mock's clock. */
export const NowContext = createContext(0);

/** Whose ids these are: after a reset, or a restart, the same ids stand for other things. */
export const eraOf = ({ token, epoch }: State): string => `${token}/${epoch}`;
