import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { State } from "../schemas.js";
import { Accounts } from "./accounts.js";
import { setToken } from "./api.js";
import { Faults } from "./faults.js";
import { type Feed, follow } from "./feed.js";
import { plural } from "./format.js";
import { Connection, Header } from "./header.js";
import { Jobs } from "./jobs.js";
import { Ledger } from "./ledger.js";
import { NowContext } from "./page-context.js";
import { Problems } from "./problems.js";
import { Requests } from "./requests.js";

export function App() {
  const [{ state, isLive }, setFeed] = useState<Feed>({ state: undefined, isLive: false });
  useEffect(
    () =>
      follow((feed) => {
        if (feed.state) setToken(feed.state.token);
        setFeed(feed);
      }),
    [],
  );
  if (!state) {
    return (
      <header>
        <h1>screenshot-sets mock</h1>
        <Connection isLive={isLive} />
      </header>
    );
  }
  // Distinguishes equal ids: after a reset or a restart, the same ids stand for other things.
  const era = `${state.token}/${state.epoch}`;
  return (
    <Problems>
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
    </Problems>
  );
}

/** Provides the mock's time. Between two states, a system clock moves once a second, a virtual one never. */
function Now({ clock: { kind, now }, children }: { clock: State["clock"]; children: ComponentChildren }) {
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

/** Announces to screen readers which jobs have ended since the page knows the mock. */
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
