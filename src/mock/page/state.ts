// biome-ignore lint/correctness/useImportExtensions: it is JSON
import { version } from "../../../package.json";
import { clockLead } from "../../time/clock-hooks.js";
import { type ControlledMock, newestJobs, type Served } from "./controlled-mock.js";
import type { State } from "./schemas.js";
import { accountViews, faultView, jobView, ledgerViews } from "./views.js";

export { version };

/** The maximum number of jobs, and of ledger rows, in a state. */
const newest = 100;

/** A mock as one server serves it. */
export interface ServedMock extends ControlledMock, Served {
  /** The token that the page has to send with every change. */
  readonly token: string;
}

/** Everything that the page shows at once, without slides, errors and bodies, which may be large. */
export function readState(mock: ServedMock): State {
  const { url, token, accounts, engine } = mock;
  const { clock, faults, journal, registry } = engine;
  return {
    version,
    url,
    token,
    epoch: mock.epoch(),
    clock: { kind: clock.kind, now: clock.now() },
    accounts: accountViews(accounts, engine),
    jobs: newestJobs(accounts, newest).map(jobView),
    jobCount: accounts.reduce((count, { jobs }) => count + jobs.all.length, 0),
    ledger: ledgerViews(accounts, newest),
    faults: faults.armed.map((armed) => faultView(armed, registry)),
    requests: { total: journal.total, kept: journal.kept, open: journal.open.size },
  };
}

/**
 * A text that differs whenever the state does, except for the time that passes by itself on a system clock, and
 * whenever a job moves on that is too old for the state.
 */
export function fingerprint(state: State, { engine: { clock }, accounts }: ControlledMock): string {
  return JSON.stringify({ ...state, clock: clock[clockLead], progress: progressOf(accounts) });
}

/** A number that grows with each step and each poll of any job. */
function progressOf(accounts: ControlledMock["accounts"]): number {
  let progress = 0;
  for (const { jobs } of accounts) {
    for (const record of jobs.all) progress += record.polls + jobs.stateOf(record).phase;
  }
  return progress;
}
