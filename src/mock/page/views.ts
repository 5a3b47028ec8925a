// biome-ignore lint/correctness/useImportExtensions: it is JSON
import { version } from "../../../package.json";
import type { ArmedFault } from "../engine/faults.js";
import { type JournalRow, parseText } from "../engine/journal.js";
import type { Account } from "../service/account.js";
import { type KeyRegistry, maskKey } from "../service/keys.js";
import { type ControlledMock, newestJobs, type OwnedJob, type ServedMock } from "./controlled-mock.js";
import type {
  AccountView,
  FaultView,
  JobDetail,
  JobView,
  LedgerView,
  RequestView,
  State,
} from "./schemas.js";

/** The maximum number of jobs, and of ledger rows, in a state. */
const newest = 100;

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

/** A value from outside, as JSON represents it, with every key masked that the mock knows. */
function shown(value: unknown, registry: KeyRegistry<Account>): unknown {
  return parseText(registry.masked(JSON.stringify(value), undefined));
}

/** The views of several accounts, made in one pass over all keys. */
export function accountViews(accounts: readonly Account[], { registry }: ControlledMock["engine"]) {
  const views = new Map(accounts.map((account) => [account, keylessView(account)]));
  for (const [key, { account, keyId, isRevoked }] of registry.held()) {
    views.get(account)?.keys.push({ id: keyId, masked: maskKey(key), revoked: isRevoked });
  }
  return [...views.values()];
}

function keylessView({ id, credits, lifecycle, jobs, apps }: Account): AccountView {
  const { remaining, used, allowance } = credits;
  const counts = { apps: apps.size, jobs: jobs.all.length };
  return { id, remaining, used, allowance, lifecycle, keys: [], ...counts };
}

export function jobView({ account: { id: account, jobs }, record }: OwnedJob): JobView {
  const { id, appId, keyId, device, count, polls, acceptedAt, lifecycle } = record;
  const state = jobs.stateOf(record);
  const { status } = state;
  const endedAt = state.outcome ? state.endedAt : null;
  return { id, account, appId, keyId, device, count, status, polls, acceptedAt, endedAt, lifecycle };
}

/** @throws what the test's own `undocumented.slide` throws */
export function jobDetail(owned: OwnedJob, { registry }: ControlledMock["engine"]): JobDetail {
  const { account, record } = owned;
  const job = account.jobs.get(record.id);
  const { result = null, error = null }: { result?: unknown; error?: unknown } = job;
  return {
    ...jobView(owned),
    result: shown(result, registry),
    error: shown(error, registry),
    ...account.jobs.sourcesOf(record),
  };
}

/** The newest ledger rows of all accounts, newest first. */
export function ledgerViews(accounts: readonly Account[], limit: number): LedgerView[] {
  return accounts
    .flatMap(({ id, credits }) => credits.newest(limit).map((row) => ({ ...row, account: id })))
    .sort((one, other) => other.sequence - one.sequence)
    .slice(0, limit)
    .map(({ account, time, amount, jobId = null, keyId }) => ({ account, time, amount, jobId, keyId }));
}

export function faultView(armed: ArmedFault, registry: KeyRegistry<Account>): FaultView {
  const { id, fault, operation = null, account, times, skip, when } = armed;
  const target = { operation, ...(account && { account: account.id }) };
  // JSON makes null of an infinite number.
  return { id, fault: shown(fault, registry) as FaultView["fault"], ...target, times, skip, when };
}

export function requestView(
  id: number,
  row: Readonly<JournalRow>,
  registry: KeyRegistry<Account>,
): RequestView {
  const { operation = null, time, method, keyId = null, account = null } = row;
  const { status = null, durationMs = null, credits, guesses, recorded } = row;
  const path = registry.masked(row.path, row.key);
  const key = row.key === undefined ? null : maskKey(row.key);
  const asked = { id, operation, time, method, path, key, keyId, account, hasBody: row.text !== "" };
  return { ...asked, status, durationMs, credits, guesses, recorded };
}
