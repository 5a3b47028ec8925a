import type { ComponentChildren } from "preact";
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks";
import type { State } from "../schemas.js";
import { Accounts } from "./accounts.js";
import { askFor } from "./api.js";
import { Faults } from "./faults.js";
import { type Feed, follow } from "./feed.js";
import { plural } from "./format.js";
import { Connection, Header } from "./header.js";
import { Jobs } from "./jobs.js";
import { Ledger } from "./ledger.js";
import { ActContext, EraContext, NowContext } from "./page-context.js";
import { Requests } from "./requests.js";

export function App() {
  const [{ state, isLive }, setFeed] = useState<Feed>({ state: undefined, isLive: false });
  const [problem, setProblem] = useState<string>();
  useEffect(
    () =>
      follow((feed) => {
        if (feed.state) askFor(feed.state);
        setFeed(feed);
      }),
    [],
  );
  const act = useCallback(async (action: () => Promise<unknown>) => {
    setProblem(undefined);
    try {
      await action();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }, []);
  const alert = problem !== undefined && <Alert problem={problem} close={() => setProblem(undefined)} />;
  return (
    <ActContext.Provider value={act}>
      {state ? (
        <Now state={state}>
          <Header state={state} isLive={isLive} />
          {alert}
          <main>
            <div>
              <Jobs state={state} />
              <Requests state={state} />
            </div>
            <div>
              <Accounts state={state} />
              <Faults state={state} />
              <Ledger state={state} />
            </div>
          </main>
          <Announcements state={state} />
        </Now>
      ) : (
        <header>
          <h1>screenshot-sets mock</h1>
          <Connection isLive={isLive} />
        </header>
      )}
    </ActContext.Provider>
  );
}

function Alert({ problem, close }: { problem: string; close(): void }) {
  return (
    <div role="alert" class="alert">
      <p>{problem}</p>
      <button type="button" class="quiet" onClick={close}>
        Dismiss
      </button>
    </div>
  );
}

/** Provides the mock's era and time. Between two states, a system clock moves once a second, a virtual one never. */
function Now({ state, children }: { state: State; children: ComponentChildren }) {
  const { token, epoch } = state;
  const { kind, now: told } = state.clock;
  const [lead, setLead] = useState(told - Date.now());
  const [, tick] = useState(0);
  useEffect(() => {
    setLead(told - Date.now());
    if (kind === "virtual") return;
    const timer = setInterval(() => tick((ticks) => ticks + 1), 1_000);
    return () => clearInterval(timer);
  }, [kind, told]);
  const now = kind === "virtual" ? told : Math.floor((Date.now() + lead) / 1_000) * 1_000;
  return (
    <EraContext.Provider value={`${token}/${epoch}`}>
      <NowContext.Provider value={now}>{children}</NowContext.Provider>
    </EraContext.Provider>
  );
}

/** Announces to screen readers which jobs have ended. */
function Announcements({ state }: { state: State }) {
  const [{ text, count }, announce] = useState({ text: "", count: 0 });
  const era = useContext(EraContext);
  const known = useRef({ era: "", ended: new Set<string>() });
  useEffect(() => {
    const ended = state.jobs.filter(({ endedAt }) => endedAt !== null);
    const since = known.current.era === era ? ended.filter(({ id }) => !known.current.ended.has(id)) : [];
    const [job] = since;
    const news =
      since.length > 1 ? `${plural(since.length, "job")} have ended` : `Job ${job?.id} has ${job?.status}`;
    if (job) announce((before) => ({ text: news, count: before.count + 1 }));
    known.current = { era, ended: new Set(ended.map(({ id }) => id)) };
  }, [state, era]);
  // A new element each time: the same text again would be no news to a screen reader.
  return (
    <p aria-live="polite" class="unseen">
      <span key={count}>{text}</span>
    </p>
  );
}
