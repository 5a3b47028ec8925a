import { useEffect, useRef, useState } from "preact/hooks";
import { operationNames } from "../../../generated/values.js";
import type { RequestDetail, RequestList, RequestView, State } from "../schemas.js";
import { statusFilter } from "../status-filter.js";
import { Action, copy, Place } from "./actions.js";
import { useRead } from "./api.js";
import { Choice, Field, LongText, TableHead, Unfolder } from "./elements.js";
import { cut, formatTime } from "./format.js";

const columns = ["Time", "Operation", "Status", "Credits", "Filled in", "Details"];

/** The maximum number of rows of a page. */
const step = 100;

/** The first page, unfiltered. Each further page has a cursor: the id of the last request on the page before. */
const firstPage = { operation: "", account: "", status: "", search: "", cursors: [] as number[] };

type View = typeof firstPage;

export function Requests({ state, era }: { state: State; era: string }) {
  const [last, setView] = useState(firstPage);
  // The account may be gone after a reset.
  const isKnown = state.accounts.some(({ id }) => id === last.account);
  const view = isKnown ? last : { ...last, account: "" };
  useEffect(() => setView((current) => ({ ...current, cursors: [] })), [era]);

  const [isPaused, setPaused] = useState(false);
  const { matching, kept = 0, requests = [] } = useRequests(state, era, view, isPaused) ?? {};
  const shown = requests.slice(0, step);
  const { cursors } = view;
  const turn = (next: number[]) => setView({ ...view, cursors: next });
  const baseUrl = location.origin + new URL(state.url).pathname;

  return (
    <section id="requests" aria-label="Requests" tabIndex={-1}>
      <h2>
        Requests{" "}
        <small data-testid="request-count" class="count">
          {`${matching ?? 0} of ${kept} requests`}
        </small>
      </h2>
      <div class="filters">
        <Filters state={state} view={view} setView={setView} />
        <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          Pause
        </button>
      </div>
      <table aria-label="Requests" class="journal">
        <TableHead columns={columns} />
        <tbody>
          {shown.map((request) => (
            <RequestRow key={`${era}/${request.id}`} request={request} baseUrl={baseUrl} />
          ))}
        </tbody>
      </table>
      {matching === 0 && <p class="empty">{kept === 0 ? "No requests yet." : "No request fits."}</p>}
      <p class="buttons">
        <PageButton
          text="Newer requests"
          isOff={cursors.length === 0}
          turn={() => turn(cursors.slice(0, -1))}
        />
        <PageButton
          text="Older requests"
          isOff={requests.length <= step}
          turn={() => turn([...cursors, shown.at(-1)?.id ?? 0])}
        />
      </p>
    </section>
  );
}

/** Stays in place and keeps the focus when it is disabled. */
function PageButton({ text, isOff, turn }: { text: string; isOff: boolean; turn(): void }) {
  return (
    <button type="button" aria-disabled={isOff} onClick={() => isOff || turn()}>
      {text}
    </button>
  );
}

function Filters({ state, view, setView }: { state: State; view: View; setView(view: View): void }) {
  const bound = (name: Exclude<keyof View, "cursors">) => ({
    value: view[name],
    onText: (text: string) => setView({ ...view, [name]: text, cursors: [] }),
  });
  const accounts = state.accounts.map(({ id }) => id);
  const status = { ...bound("status"), "aria-invalid": isUnfinished(view) };
  return (
    <>
      <Choice name="Operation" values={["", ...operationNames, "none"]} {...bound("operation")} />
      <Choice name="Account" values={["", ...accounts]} {...bound("account")} />
      <Field name="Status" placeholder="404, 4xx, none" size={10} {...status} />
      <Field name="Search" label="Search requests" type="search" {...bound("search")} />
    </>
  );
}

/** An incompletely typed status is not yet a filter. */
const isUnfinished = ({ status }: View) => status !== "" && !statusFilter.test(status);

/** The rows, read again only when the view or the requests change. */
function useRequests(state: State, era: string, view: View, isPaused: boolean): RequestList | undefined {
  const { total, open } = state.requests;
  const { cursors, ...filters } = view;
  const status = isUnfinished(view) ? "" : view.status;
  // One more than is shown tells whether there are older ones.
  const asked = { ...filters, status, before: String(cursors.at(-1) ?? ""), limit: String(step + 1) };
  const query = new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== ""));
  const changed = useRef("");
  // Pausing itself must not cause a read either.
  if (!isPaused) changed.current = `${total}/${open}`;
  return useRead<RequestList>(`requests?${query}`, `${era}/${changed.current}`).answer;
}

/** @param baseUrl the service's, as the browser reaches it */
function RequestRow({ request, baseUrl }: { request: RequestView; baseUrl: string }) {
  const [isOpen, setOpen] = useState(false);
  const { id, operation, time, method, path, status, credits, guesses, recorded } = request;
  const at = formatTime(time);
  return (
    <>
      <tr data-testid="request" class={isOpen ? "open" : undefined}>
        <td title={at}>
          {at.slice(11)}
          <small class="faint">#{id}</small>
        </td>
        <td class="free">
          {operation ?? "none"}
          <small class="faint">{`${method} ${cut(path, 200)}`}</small>
        </td>
        <td class={`code${status === null ? "" : ` s${Math.floor(status / 100)}`}`}>{status ?? "none"}</td>
        <td>{credits}</td>
        <td class="free">
          {guesses.join(", ")}
          {recorded.length > 0 && <small class="faint">{`recorded: ${recorded.join(", ")}`}</small>}
        </td>
        <td>
          <Unfolder text="Details" label={`Details of request ${id}`} isOpen={isOpen} setOpen={setOpen} />
        </td>
      </tr>
      {isOpen && (
        <tr class="open">
          <td colSpan={columns.length} class="free">
            <Details request={request} baseUrl={baseUrl} />
          </td>
        </tr>
      )}
    </>
  );
}

/** What was sent and answered. An open request is read again once it has its answer. */
function Details({ request: { id, status }, baseUrl }: { request: RequestView; baseUrl: string }) {
  const { answer: detail, problem } = useRead<RequestDetail>(`requests/${id}`, status);
  if (!detail) return <p class="faint">{problem ?? "…"}</p>;
  return (
    <Place>
      {detail.body !== null && <LongText name="body" text={written(detail.body)} />}
      <LongText name="answer" text={answerOf(detail)} />
      <Action text="Copy as curl" run={() => copy(curlOf(detail, baseUrl))} />
    </Place>
  );
}

/** An answer as HTTP writes it, with how long it took. */
function answerOf({ status, durationMs, responseHeaders, responseBody }: RequestDetail): string {
  if (status === null) return "No answer";
  const headers = Object.entries(responseHeaders ?? {}).map(([name, value]) => `${name}: ${value}`);
  const body = responseBody === null ? [] : ["", written(responseBody)];
  return [`${status} after ${durationMs} ms`, ...headers, ...body].join("\n");
}

const written = (value: unknown) =>
  cut(typeof value === "string" ? value : JSON.stringify(value, null, 2), 10_000);

/** A text as one argument of a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * The command that sends a request again, with the key from the environment.
 *
 * @param baseUrl the service's, as the browser reaches it
 */
function curlOf({ method, path, key, body }: RequestDetail, baseUrl: string): string {
  const sent = typeof body === "string" ? body : JSON.stringify(body);
  return [
    `curl -X ${quoted(method)} ${quoted(baseUrl + path)}`,
    ...(key === null ? [] : [`-H "x-api-key: $SCREENSHOT_SETS_API_KEY"`]),
    ...(body === null ? [] : [`-H 'content-type: application/json' --data-raw ${quoted(sent)}`]),
  ].join(" ");
}
