// biome-ignore lint/correctness/useImportExtensions: it is JSON
import { version } from "../../../package.json";
import { clockLead, clockResets } from "../../time/clock-hooks.js";
import { type ControlledMock, newestJobs } from "./controlled-mock.js";
import type { State } from "./schemas.js";
import { accountViews, faultView, jobView, ledgerViews } from "./views.js";

export { version };

/** How many jobs and rows a state has at the most. */
const newest = 100;

/** One server of a mock. */
export interface ServedMock extends ControlledMock {
  /** Where the service is. */
  readonly url: string;
  /** What a page has to present before it changes anything. */
  readonly token: string;
}

/** How many resets there were; each begins with the same ids. */
export const epochOf = ({ engine }: ControlledMock): number => engine.clock[clockResets];

/** All that the page shows at once; without slides, errors and bodies, which may be large. */
export function readState(mock: ServedMock): State {
  const { url, token, accounts, engine } = mock;
  const { clock, faults, journal, registry } = engine;
  return {
    version,
    url,
    token,
    epoch: epochOf(mock),
    clock: { kind: clock.kind, now: clock.now() },
    accounts: accountViews(accounts, engine),
    jobs: newestJobs(accounts, newest).map(jobView),
    jobCount: accounts.reduce((count, { jobs }) => count + jobs.all.length, 0),
    ledger: ledgerViews(accounts, newest),
    faults: faults.armed.map((armed) => faultView(armed, registry)),
    requests: { total: journal.total, kept: journal.kept, open: journal.open.size },
  };
}

/** A text that differs when a state does. That a clock of the system goes on by itself is no difference. */
export function fingerprint(state: State, { engine: { clock } }: ControlledMock): string {
  return JSON.stringify({ ...state, clock: clock[clockLead] });
}
