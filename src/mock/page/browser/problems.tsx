import type { ComponentChildren } from "preact";
import { useCallback, useContext, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { keepFocusNear } from "./focus.js";
import { ActContext, type Attempt, PlaceContext, type Problem, ProblemContext } from "./page-context.js";
import { refusalText } from "./refusal-text.js";

/** Runs the actions of the page within it, and keeps the last refusal for the place where it belongs. */
export function Problems({ children }: { children: ComponentChildren }) {
  const [problem, setProblem] = useState<Problem>();
  const act = useCallback(async ({ run, subject, labels }: Attempt, place: object | undefined) => {
    setProblem(undefined);
    try {
      await run();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      setProblem({ text: refusalText(reason, subject, labels), place });
    }
  }, []);
  const shown = useMemo(
    () => ({
      problem,
      dismiss: () => setProblem(undefined),
      leave: (gone: object) =>
        setProblem((last) => (last?.place === gone ? { ...last, place: undefined } : last)),
    }),
    [problem],
  );
  return (
    <ActContext.Provider value={act}>
      <ProblemContext.Provider value={shown}>{children}</ProblemContext.Provider>
    </ActContext.Provider>
  );
}

/** A part of the page under which the refusals of its actions stand. */
export function Place({ children }: { children: ComponentChildren }) {
  const { current: place } = useRef({});
  const { leave } = useContext(ProblemContext);
  const lastLeave = useRef(leave);
  lastLeave.current = leave;
  useEffect(() => () => lastLeave.current(place), [place]);
  return (
    <PlaceContext.Provider value={place}>
      {children}
      <Refusal place={place} />
    </PlaceContext.Provider>
  );
}

/** The last refusal, if it belongs here. */
export function Refusal({ place }: { place: object | undefined }) {
  const { problem, dismiss } = useContext(ProblemContext);
  return problem && problem.place === place ? <Alert text={problem.text} dismiss={dismiss} /> : null;
}

function Alert({ text, dismiss }: { text: string; dismiss(): void }) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => () => keepFocusNear(button.current), []);
  return (
    <div role="alert" class="alert">
      <p>{text}</p>
      <button ref={button} type="button" class="quiet" onClick={dismiss}>
        Dismiss
      </button>
    </div>
  );
}
