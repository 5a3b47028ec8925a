import { useContext, useRef, useState } from "preact/hooks";
import type { State } from "../schemas.js";
import { Action, ActionForm } from "./action.js";
import { call } from "./api.js";
import { Field } from "./fields.js";
import { formatTime } from "./format.js";
import { NowContext } from "./page-context.js";

export function Header({ state, isLive }: { state: State; isLive: boolean }) {
  return (
    <header>
      <div>
        <h1>screenshot-sets mock</h1>
        <p class="faint">
          <code>{state.url}</code> <span>version {state.version}</span>
        </p>
        <nav>
          {["Jobs", "Requests", "Accounts", "Faults", "Ledger"].map((name) => (
            <a key={name} href={`#${name.toLowerCase()}`}>
              {name}
            </a>
          ))}
        </nav>
      </div>
      <Connection isLive={isLive} />
      <Clock kind={state.clock.kind} />
      <Reset />
    </header>
  );
}

export function Connection({ isLive }: { isLive: boolean }) {
  return (
    <p role="status" aria-label="Connection" class={isLive ? "live" : "lost"}>
      {isLive ? "Live" : "Reconnecting"}
    </p>
  );
}

function Clock({ kind }: { kind: string }) {
  const now = useContext(NowContext);
  const [seconds, setSeconds] = useState("60");
  const advanceMs = seconds.trim() === "" ? null : Number(seconds) * 1_000;
  return (
    <ActionForm class="clock" run={() => call("POST", "clock", { advanceMs })}>
      <p data-testid="now">
        {formatTime(now)} UTC <small>{kind} clock</small>
      </p>
      <Field name="Seconds" type="number" min="0" step="any" value={seconds} onText={setSeconds} />
      <button type="submit">Advance clock</button>
    </ActionForm>
  );
}

function Reset() {
  const dialog = useRef<HTMLDialogElement>(null);
  function reset() {
    dialog.current?.close();
    return call("POST", "reset");
  }
  return (
    <>
      <button type="button" class="danger" onClick={() => dialog.current?.showModal()}>
        Reset
      </button>
      <dialog ref={dialog} aria-label="Reset the mock?">
        <h2>Reset the mock?</h2>
        <p>Jobs, requests, faults, further accounts and keys are gone, and the clock is back at the start.</p>
        <p class="buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <Action text="Reset" kind="danger" run={reset} />
        </p>
      </dialog>
    </>
  );
}
