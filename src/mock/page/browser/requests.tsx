import { useEffect, useRef, useState } from "preact/hooks";
import { operationNames } from "../../../generated/values.js";
import type { RequestList, State } from "../schemas.js";
import { statusFilter } from "../status-filter.js";
import { useRead } from "./api.js";
import { Choice, Field } from "./fields.js";
import { RequestRow } from "./request-row.js";
import { TableHead } from "./table-head.js";

const columns = ["Time", "Operation", "Status", "Credits", "Filled in", "Details"];

/** The maximum number of rows of a page. */
const step = 100;

/** What is asked for at first: the filters, and the id of the last request of each page before this one. */
const newest = { operation: "", account: "", status: "", search: "", befores: [] as number[] };

type View = typeof newest;

export function Requests({ state, era }: { state: State; era: string }) {
  const [last, setView] = useState(newest);
  // The account may be gone after a reset.
  const isKnown = state.accounts.some(({ id }) => id === last.account);
  const view = isKnown ? last : { ...last, account: "" };
  const [isPaused, setPaused] = useState(false);
  useEffect(() => setView((current) => ({ ...current, befores: [] })), [era]);
  const { matching, kept = 0, requests = [] } = useRequests(state, era, view, isPaused) ?? {};
  const shown = requests.slice(0, step);
  const { befores } = view;
  const turn = (next: number[]) => setView({ ...view, befores: next });
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
        <Turn text="Newer requests" isOff={befores.length === 0} turn={() => turn(befores.slice(0, -1))} />
        <Turn
          text="Older requests"
          isOff={requests.length <= step}
          turn={() => turn([...befores, shown.at(-1)?.id ?? 0])}
        />
      </p>
    </section>
  );
}

/** Stays in place and keeps the focus when it is disabled. */
function Turn({ text, isOff, turn }: { text: string; isOff: boolean; turn(): void }) {
  return (
    <button type="button" aria-disabled={isOff} onClick={() => isOff || turn()}>
      {text}
    </button>
  );
}

function Filters({ state, view, setView }: { state: State; view: View; setView(view: View): void }) {
  const bound = (name: Exclude<keyof View, "befores">) => ({
    value: view[name],
    onText: (text: string) => setView({ ...view, [name]: text, befores: [] }),
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
  const { befores, ...filters } = view;
  const status = isUnfinished(view) ? "" : view.status;
  // One more than is shown tells whether there are older ones.
  const asked = { ...filters, status, before: String(befores.at(-1) ?? ""), limit: String(step + 1) };
  const query = new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== ""));
  const changed = useRef("");
  // Pausing itself must not cause a read either.
  if (!isPaused) changed.current = `${total}/${open}`;
  return useRead<RequestList>(`requests?${query}`, `${era}/${changed.current}`).answer;
}
