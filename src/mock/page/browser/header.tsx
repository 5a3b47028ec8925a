import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { State } from "../schemas.js";
import { Action, ActionForm } from "./action.js";
import { call } from "./api.js";
import { Field } from "./fields.js";
import { formatTime } from "./format.js";
import { NowContext } from "./page-context.js";
import { Refusal } from "./problems.js";

const sections = ["Jobs", "Accounts", "Faults", "Requests", "Ledger"];

export function Header({ state, isLive }: { state: State; isLive: boolean }) {
  const header = useRef<HTMLElement>(null);
  useLayoutEffect(() => keepSectionsVisible(header.current as HTMLElement), []);
  return (
    <header ref={header}>
      <div>
        <h1>screenshot-sets mock</h1>
        <p class="faint">
          <code>{state.url}</code> <span>version {state.version}</span>
        </p>
        <nav>
          {sections.map((name) => (
            <a key={name} href={`#${name.toLowerCase()}`}>
              {name}
            </a>
          ))}
        </nav>
      </div>
      <Connection isLive={isLive} />
      <Clock kind={state.clock.kind} />
      <Reset />
      <Refusal place={undefined} />
    </header>
  );
}

/** Keeps what is jumped to from being under the header while that sticks to the top, however high it is. */
function keepSectionsVisible(header: HTMLElement): () => void {
  const { documentElement } = document;
  const observer = new ResizeObserver(() => {
    const isSticky = getComputedStyle(header).position === "sticky";
    documentElement.style.scrollPaddingTop = `${isSticky ? header.offsetHeight : 0}px`;
  });
  observer.observe(header);
  return () => observer.disconnect();
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
