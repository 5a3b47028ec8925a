import type { Engine } from "../engine/engine.js";
import type { AccountOptions } from "../mock-options.js";
import type { Account } from "../service/account.js";
import type { JobRecord } from "../service/job-store.js";
import { notFound } from "./refusals.js";

/** The parts of a mock that the page and its control API read and change. */
export interface ControlledMock {
  readonly engine: Engine;
  /** The first account first. */
  readonly accounts: readonly Account[];
  openAccount(options: AccountOptions): Account;
  reset(): void;
  /** Resets one account, with its faults and its requests in the journal. */
  resetAccount(account: Account): void;
  /** A number that changes with each reset, also of one account: after it, the same ids are given again. */
  epoch(): number;
}

/** How a server serves the mock. */
export interface Served {
  /** The base URL of the service. */
  readonly url: string;
  /** Hosts other than this machine's own names for which the page answers, in lower case, without a port. */
  readonly allowedHosts: readonly string[];
}

/** A mock as one server serves it. */
export interface ServedMock extends ControlledMock, Served {
  /** The token that the page has to send with every change. */
  readonly token: string;
}

/** @throws Refusal if no account has this id */
export function accountOf({ accounts }: ControlledMock, id: string): Account {
  const account = accounts.find((one) => one.id === id);
  if (account) return account;
  throw notFound("account");
}

/** A job and its account. */
export interface OwnedJob {
  account: Account;
  record: JobRecord;
}

/** @throws Refusal if no account has this job */
export function jobOf({ accounts }: ControlledMock, id: string): OwnedJob {
  for (const account of accounts) {
    const record = account.jobs.find(id);
    if (record) return { account, record };
  }
  throw notFound("job");
}

/** The newest jobs of these accounts, at most `limit`, newest first. */
export function newestJobs(accounts: readonly Account[], limit: number): OwnedJob[] {
  return accounts
    .flatMap((account) => account.jobs.all.slice(-limit).map((record) => ({ account, record })))
    .sort((one, other) => other.record.sequence - one.record.sequence)
    .slice(0, limit);
}
