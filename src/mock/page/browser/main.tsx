import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { plural } from "../../../text/figures.js";
import type { State } from "../schemas.js";
import { Accounts, Ledger } from "./accounts.js";
import { Action, Actions, Refusal } from "./actions.js";
import { call, type Feed, follow } from "./api.js";
import { Clock, Now } from "./clock.js";
import { Faults } from "./faults.js";
import { Jobs } from "./jobs.js";
import { Requests } from "./requests.js";

function Page() {
  const [{ state, isLive }, setFeed] = useState<Feed>({ state: undefined, isLive: false });
  useEffect(() => follow(setFeed), []);

  if (!state) {
    return (
      <header>
        <h1>screenshot-sets mock</h1>
        <Connection isLive={isLive} />
      </header>
    );
  }

  // After a reset or a restart, the same ids stand for other things.
  const era = `${state.token}/${state.epoch}`;
  return (
    <Actions>
      <Now clock={state.clock}>
        <Header state={state} isLive={isLive} />
        <main>
          <Jobs state={state} era={era} />
          <div class="aside">
            <Accounts state={state} era={era} />
            <Faults state={state} />
            <Ledger state={state} />
          </div>
          <Requests state={state} era={era} />
        </main>
        <Announcements key={era} state={state} />
      </Now>
    </Actions>
  );
}

const sections = ["Jobs", "Accounts", "Faults", "Requests", "Ledger"];

function Header({ state, isLive }: { state: State; isLive: boolean }) {
  return (
    <header>
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
      <Refusal />
    </header>
  );
}

function Connection({ isLive }: { isLive: boolean }) {
  return (
    <p role="status" aria-label="Connection" class={isLive ? "live" : "lost"}>
      {isLive ? "Live" : "Reconnecting"}
    </p>
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

/** Announces to screen readers which jobs have ended since the page was opened. */
function Announcements({ state }: { state: State }) {
  const [{ text, count }, announce] = useState({ text: "", count: 0 });
  const known = useRef<Set<string> | undefined>(undefined);
  useEffect(() => {
    const ended = state.jobs.filter(({ endedAt }) => endedAt !== null);
    const since = ended.filter(({ id }) => known.current?.has(id) === false);
    const [job] = since;
    const news =
      since.length > 1 ? `${plural(since.length, "job")} have ended` : `Job ${job?.id} has ${job?.status}`;
    if (job) announce((before) => ({ text: news, count: before.count + 1 }));
    known.current = new Set(ended.map(({ id }) => id));
  }, [state]);

  // A new element each time: the same text again would be no news to a screen reader.
  return (
    <p aria-live="polite" class="unseen">
      <span key={count}>{text}</span>
    </p>
  );
}

render(<Page />, document.body);
