import { createApp, createScreenshots } from "../../generated/operations.js";
import type { Fault } from "../engine/faults.js";
import type { JournalRow } from "../engine/journal.js";
import { type Lifecycle, readLifecycle } from "../lifecycle.js";
import { checkedValue, lifecycle as lifecycleOption } from "../read-mock-options.js";
import type { Account } from "../service/account.js";
import type { KeyRegistry } from "../service/keys.js";
import {
  accountOf,
  type ControlledMock,
  jobOf,
  newestJobs,
  type OwnedJob,
  type ServedMock,
} from "./controlled-mock.js";
import { notFound, Refusal } from "./refusals.js";
import {
  bodies,
  type Operation,
  operation,
  queries,
  type RequestList,
  type RequestQuery,
} from "./schemas.js";
import { hasStatus } from "./status-filter.js";
import { accountViews, faultView, jobDetail, jobView, readState, requestView } from "./views.js";

/** All operations of the control API but the stream and the document: first those that read. */
export const operations: readonly Operation[] = [
  operation("GET /state", {
    summary: "All that the page shows at once.",
    answer: "State",
    run: ({ mock }) => readState(mock),
  }),
  operation("GET /jobs", {
    summary:
      "Jobs of all accounts, the newest first; `before` is the id of a job, for those that came before it.",
    query: queries.jobs,
    answer: "Jobs",
    run: ({ mock, query: { account, status, before, limit } }) => {
      const accounts = mock.accounts.filter(({ id }) => account === undefined || id === account);
      const isAsked = (owned: OwnedJob) => status === undefined || jobView(owned).status === status;
      const matching = newestJobs(accounts, Number.MAX_SAFE_INTEGER).filter(isAsked);
      const { sequence } =
        before === undefined ? { sequence: Number.POSITIVE_INFINITY } : jobOf(mock, before).record;
      const page = matching.filter(({ record }) => record.sequence < sequence).slice(0, limit);
      return { total: matching.length, jobs: page.map(jobView) };
    },
  }),
  operation("GET /jobs/{id}", {
    summary: "A job with its result and error, and what the mock filled in there. This is no poll.",
    answer: "Job",
    run: ({ mock, id }) => jobDetail(jobOf(mock, id), mock.engine),
  }),
  operation("GET /requests", {
    summary:
      "The journal without bodies, the newest first; `before` is the id of a request, for those that came before it.",
    query: queries.requests,
    answer: "Requests",
    run: ({ mock, query }) => listRequests(mock, query),
  }),
  operation("GET /requests/{id}", {
    summary: "A request with its body, and with the headers and the body of its answer.",
    answer: "Request",
    run: ({ mock, id }) => {
      const { journal, registry } = mock.engine;
      const row = journal.find(Number(id));
      if (!row) throw notFound("request");
      const { body = null, responseHeaders = null, responseBody = null } = journal.entryOf(row);
      return { ...requestView(Number(id), row, registry), body, responseHeaders, responseBody };
    },
  }),
  moving("advance", "Moves a job on by one step.", bodies.none),
  moving("succeed", "Ends a job with its slides.", bodies.none),
  moving("fail", "Ends a job with this error, or with its plan's.", bodies.failure),
  operation("PATCH /accounts/{id}", {
    summary: "Sets the credits left, and the lifecycle of the jobs that are accepted from then on.",
    body: bodies.accountChange,
    answer: "Account",
    run: ({ mock, id, body: { remaining, lifecycle } }) => {
      const account = accountOf(mock, id);
      const checked = lifecycleIn(lifecycle);
      if (remaining !== undefined) account.credits.set(remaining);
      if (checked) account.lifecycle = checked;
      return accountView(account, mock);
    },
  }),
  operation("POST /accounts", {
    summary: "Opens an account. Only this answer holds its key.",
    body: bodies.account,
    status: 201,
    answer: "AccountWithKey",
    run: ({ mock, body: { lifecycle, ...body } }) => {
      const account = mock.openAccount({ ...body, lifecycle: lifecycleIn(lifecycle) });
      return { ...accountView(account, mock), key: account.apiKey };
    },
  }),
  operation("POST /accounts/{id}/keys", {
    summary: "Makes a further key. Only this answer holds it.",
    body: bodies.none,
    status: 201,
    answer: "Key",
    run: ({ mock, id }) => accountOf(mock, id).createKey(),
  }),
  operation("DELETE /accounts/{id}/keys/{keyId}", {
    summary: "Revokes a key.",
    run: ({ mock, id, keyId }) => {
      const account = accountOf(mock, id);
      for (const [key, holder] of mock.engine.registry.held()) {
        if (holder.account === account && holder.keyId === keyId) return account.keys.revoke(key);
      }
      throw notFound("key");
    },
  }),
  operation("POST /accounts/{id}/next-job", {
    summary: "Decides how the account's next accepted job goes.",
    body: bodies.plan,
    run: ({ mock, id, body: { lifecycle, ...body } }) =>
      accountOf(mock, id).nextJob({ ...body, lifecycle: lifecycleIn(lifecycle) }),
  }),
  operation("POST /accounts/{id}/sets", {
    summary: "Creates an app and plans a set of it, as a client with the account's key would.",
    body: bodies.set,
    status: 201,
    answer: "Job",
    run: async ({ mock, id, body: { iosUrl, ...set } }) => {
      const account = accountOf(mock, id);
      const { appId } = await ask(mock, account, createApp, { iosUrl });
      const { jobId } = await ask(mock, account, createScreenshots, { appId, ...set });
      return jobDetail(jobOf(mock, jobId), mock.engine);
    },
  }),
  operation("POST /accounts/{id}/reset", {
    summary: "Puts an account back at its start, with its faults and requests. The others stay.",
    body: bodies.none,
    run: ({ mock, id }) => mock.resetAccount(accountOf(mock, id)),
  }),
  operation("POST /faults", {
    summary: "Makes requests fail; `operation: null` means any operation, and `times: null` no limit.",
    body: bodies.fault,
    status: 201,
    answer: "Fault",
    run: ({ mock, body: { fault, operation, account, times, ...more } }) => {
      const { faults, registry } = mock.engine;
      const count = times === null ? Number.POSITIVE_INFINITY : times;
      const options = { ...more, operation: operation ?? undefined, times: count };
      const only = typeof account === "string" ? accountOf(mock, account) : undefined;
      return faultView(faults.add(fault as Fault, options, only), registry);
    },
  }),
  operation("DELETE /faults", {
    summary: "Disarms all faults.",
    run: ({ mock: { engine } }) => {
      for (const fault of engine.faults.armed) engine.faults.remove(fault);
    },
  }),
  operation("DELETE /faults/{id}", {
    summary: "Disarms a fault.",
    run: ({ mock: { engine }, id }) => {
      const fault = engine.faults.armed.find((one) => one.id === id);
      if (!fault) throw notFound("fault");
      engine.faults.remove(fault);
    },
  }),
  operation("POST /clock", {
    summary: "Moves the time forward, and ends every sleep that falls due on the way.",
    body: bodies.clock,
    answer: "Clock",
    run: async ({ mock: { engine }, body: { advanceMs } }) => {
      const { clock } = engine;
      await clock.advance(advanceMs);
      return { kind: clock.kind, now: clock.now() };
    },
  }),
  operation("POST /reset", {
    summary: "Puts the mock back at its start, clock and ids included.",
    body: bodies.none,
    run: ({ mock }) => mock.reset(),
  }),
];

function listRequests({ engine: { journal, registry } }: ServedMock, query: RequestQuery): RequestList {
  const { before = Number.POSITIVE_INFINITY, limit } = query;
  const isAsked = filterOf(query, registry);
  const { total, kept, open } = journal;
  const requests = [];
  let matching = 0;
  for (const [id, row] of journal.newestFirst()) {
    if (!isAsked(row)) continue;
    matching++;
    if (id < before && requests.length < limit) requests.push(requestView(id, row, registry));
  }
  return { total, kept, open: open.size, matching, requests };
}

/** Whether a query asks for an entry of the journal. */
function filterOf({ operation, status, account, search }: RequestQuery, registry: KeyRegistry<Account>) {
  const words = search?.toLowerCase();
  return (entry: JournalRow): boolean => {
    if (operation && (entry.operation ?? "none") !== operation) return false;
    if (account !== undefined && entry.account !== account) return false;
    if (status && !hasStatus(entry.status, status)) return false;
    const searched = words ? registry.masked(`${entry.path}\n${entry.text}`, entry.key) : "";
    return !words || searched.toLowerCase().includes(words);
  };
}

function accountView(account: Account, { engine }: ControlledMock) {
  const [view] = accountViews([account], engine);
  return view as NonNullable<typeof view>;
}

/** A lifecycle as it is given to `createMock`, or in the words of the command line. */
function lifecycleIn(given: Lifecycle | string | undefined): Lifecycle | undefined {
  if (given === undefined) return undefined;
  if (typeof given === "string") return readLifecycle(given.trim());
  return checkedValue("lifecycle", given, lifecycleOption);
}

/**
 * Sends a request to the service as a client with the account's key would.
 *
 * @throws Refusal if the service refuses it
 */
async function ask(
  { engine }: ControlledMock,
  account: Account,
  { method, path }: { method: string; path: string },
  body: object,
) {
  const keys = [...engine.registry.held()];
  const valid = keys.find(([, holder]) => holder.account === account && !holder.isRevoked);
  const [apiKey] = valid ?? [account.apiKey];
  // The only other header that the service may read is an idempotency key.
  const header = (name: string) => (name === "authorization" ? `Bearer ${apiKey}` : crypto.randomUUID());
  const request = { method, path, header, text: JSON.stringify(body), signal: () => undefined };
  const { status, text } = await engine.handle({ ...request, hasOwnClock: true });
  if (status === 200 || status === 201) return JSON.parse(text);
  throw new Refusal(400, "invalid_request", `The service answered ${status}. ${text}`);
}

/** An operation that moves a job by hand and answers with the job. */
function moving(
  action: "advance" | "succeed" | "fail",
  summary: string,
  body: NonNullable<Operation<unknown, { error?: Record<string, unknown> | undefined }>["body"]>,
): Operation {
  return operation(`POST /jobs/{id}/${action}`, {
    summary,
    body,
    answer: "Job",
    run: ({ mock, id, body: { error } }) => {
      const owned = jobOf(mock, id);
      const { jobs } = owned.account;
      const state = jobs.stateOf(owned.record);
      if (state.outcome) throw new Refusal(409, "job_ended", `The job has ${state.status} already.`);
      jobs[action](id, error);
      return jobDetail(owned, mock.engine);
    },
  });
}
