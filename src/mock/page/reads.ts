import type { JournalRow } from "../engine/journal.js";
import type { Account } from "../service/account.js";
import type { KeyRegistry } from "../service/keys.js";
import { jobOf, newestJobs, notFound, type OwnedJob } from "./controlled-mock.js";
import { type Operation, operation } from "./operation.js";
import { queries, type RequestList, type RequestQuery } from "./schemas.js";
import { readState, type ServedMock } from "./state.js";
import { hasStatus } from "./status-filter.js";
import { jobDetail, jobView, requestView } from "./views.js";

/** The operations that only read. */
export const reads: readonly Operation[] = [
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
      const { turn } = before === undefined ? { turn: Number.POSITIVE_INFINITY } : jobOf(mock, before).record;
      const page = matching.filter(({ record }) => record.turn < turn).slice(0, limit);
      return { total: matching.length, jobs: page.map(jobView) };
    },
  }),
  operation("GET /jobs/{id}", {
    summary: "A job with its result, its error, and what of these the mock filled in. No poll.",
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
    return !words || searchedText(entry, registry).toLowerCase().includes(words);
  };
}

/** The text of a request that is searched. */
function searchedText({ path, text, key }: JournalRow, registry: KeyRegistry<Account>): string {
  return registry.masked(`${path}\n${text}`, key);
}
