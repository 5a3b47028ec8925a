import { useEffect, useRef, useState } from "preact/hooks";
import { operationNames } from "../../../generated/values.js";
import type { RequestList, State } from "../schemas.js";
import { statusFilter } from "../status-filter.js";
import { readForEffect } from "./api.js";
import { Choice, Field } from "./fields.js";
import { eraOf } from "./page-context.js";
import { RequestRow } from "./request-row.js";
import { shared } from "./shared.js";
import { TableHead } from "./table-head.js";

const columns = ["Time", "Operation", "Status", "Credits", "Guesses", "Body"];

const noFilter = { operation: "", status: "", search: "" };

type Filter = typeof noFilter;

/** What is requested: the filters, and the id of the last request of each page before this one. */
interface View {
  filter: Filter;
  befores: number[];
}

const newest: View = { filter: noFilter, befores: [] };

export function Requests({ state }: { state: State }) {
  const [view, setView] = useState(newest);
  const [isPaused, setPaused] = useState(false);
  const era = eraOf(state);
  useEffect(() => setView(({ filter }) => ({ filter, befores: [] })), [era]);
  const list = useRequests(state, view, isPaused);
  const rows = list?.requests ?? [];
  const last = rows.at(-1);
  const isFull = rows.length === 100;
  const { befores } = view;
  const turn = (next: number[]) => setView({ ...view, befores: next });
  return (
    <section id="requests" aria-label="Requests" tabIndex={-1}>
      <h2>
        Requests{" "}
        <small data-testid="request-count" class="count">
          {list?.matching ?? 0} of {list?.total ?? 0} requests
        </small>
      </h2>
      <div class="filters">
        <Filters view={view} setView={setView} />
        <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          Pause
        </button>
      </div>
      <table aria-label="Requests">
        <TableHead columns={columns} />
        <tbody>
          {rows.map((request) => (
            <RequestRow key={`${era}/${request.id}`} request={request} />
          ))}
        </tbody>
      </table>
      {list?.matching === 0 && (
        <p class="empty">{list.total === 0 ? "No requests yet." : "No request fits."}</p>
      )}
      <p class="buttons">
        <Turn isOff={befores.length === 0} turn={() => turn(befores.slice(0, -1))}>
          Newer requests
        </Turn>
        <Turn isOff={!isFull} turn={() => turn([...befores, last?.id ?? 0])}>
          Older requests
        </Turn>
      </p>
    </section>
  );
}

/** Stays in place and keeps the focus when it is disabled. */
function Turn({ isOff, turn, children }: { isOff: boolean; turn(): void; children: string }) {
  return (
    <button type="button" aria-disabled={isOff} onClick={() => isOff || turn()}>
      {children}
    </button>
  );
}

function Filters({ view: { filter }, setView }: { view: View; setView(view: View): void }) {
  const bound = (name: keyof Filter) => ({
    value: filter[name],
    onText: (text: string) => setView({ filter: { ...filter, [name]: text }, befores: [] }),
  });
  const status = { ...bound("status"), "aria-invalid": isUnfinished(filter) };
  return (
    <>
      <Choice name="Operation" values={["", ...operationNames, "none"]} {...bound("operation")} />
      <Field name="Status" placeholder="404, 4xx, none" size={10} {...status} />
      <Field name="Search" label="Search requests" type="search" {...bound("search")} />
    </>
  );
}

/** An incompletely typed status is not yet a filter. */
const isUnfinished = ({ status }: Filter) => status !== "" && !statusFilter.test(status);

/** The rows, read again only when the view or the requests change. A reset removes them at once. */
function useRequests(state: State, { filter, befores }: View, isPaused: boolean): RequestList | undefined {
  const era = eraOf(state);
  const [known, setKnown] = useState<{ era: string; list: RequestList }>();
  const { total, open } = state.requests;
  const status = isUnfinished(filter) ? "" : filter.status;
  const asked = { ...filter, status, before: String(befores.at(-1) ?? "") };
  const query = new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== ""));
  const path = `requests?${query}`;
  const changed = useRef("");
  // Pausing itself must not cause a read either.
  if (!isPaused) changed.current = `${total}/${open}`;
  useEffect(
    () => readForEffect<RequestList>(path, (list) => setKnown((earlier) => shared(earlier, { era, list }))),
    [path, changed.current, era],
  );
  return known?.era === era ? known.list : undefined;
}
