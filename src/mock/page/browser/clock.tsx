import { type ComponentChildren, createContext } from "preact";
import { useContext, useLayoutEffect, useState } from "preact/hooks";
import type { State } from "../schemas.js";
import { ActionForm } from "./actions.js";
import { call } from "./api.js";
import { Field } from "./elements.js";
import { formatTime } from "./format.js";

/** The time of the mock's clock. */
export const NowContext = createContext(0);

/** Provides the mock's time. Between two states, a system clock moves once a second, a virtual one never. */
export function Now({
  clock: { kind, now },
  children,
}: {
  clock: State["clock"];
  children: ComponentChildren;
}) {
  const [passedMs, setPassedMs] = useState(0);
  useLayoutEffect(() => {
    setPassedMs(0);
    if (kind === "virtual") return;
    const startedAt = Date.now();
    const timer = setInterval(() => setPassedMs(Date.now() - startedAt), 1_000);
    return () => clearInterval(timer);
  }, [kind, now]);

  return <NowContext.Provider value={now + passedMs}>{children}</NowContext.Provider>;
}

/** Shows the mock's time, and moves it. */
export function Clock({ kind }: { kind: string }) {
  const now = useContext(NowContext);
  const [seconds, setSeconds] = useState("60");
  const advanceMs = seconds.trim() === "" ? null : Number(seconds) * 1_000;

  return (
    <ActionForm
      class="clock"
      run={() => call("POST", "clock", { advanceMs })}
      subject="Advance clock"
      labels={{ advanceMs: "Seconds" }}
    >
      <p data-testid="now">
        {formatTime(now)} UTC <small>{kind} clock</small>
      </p>
      <Field name="Seconds" type="number" min="0" step="any" value={seconds} onText={setSeconds} />
      <button type="submit">Advance clock</button>
    </ActionForm>
  );
}
