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

/** What is asked for at first: the filters, and the id of the last request of each page before this one. */
const newest = { operation: "", status: "", search: "", befores: [] as number[] };

type View = typeof newest;

export function Requests({ state }: { state: State }) {
  const [view, setView] = useState(newest);
  const [isPaused, setPaused] = useState(false);
  const era = eraOf(state);
  useEffect(() => setView((current) => ({ ...current, befores: [] })), [era]);
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
        <Turn text="Newer requests" isOff={befores.length === 0} turn={() => turn(befores.slice(0, -1))} />
        <Turn text="Older requests" isOff={!isFull} turn={() => turn([...befores, last?.id ?? 0])} />
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

function Filters({ view, setView }: { view: View; setView(view: View): void }) {
  const bound = (name: "operation" | "status" | "search") => ({
    value: view[name],
    onText: (text: string) => setView({ ...view, [name]: text, befores: [] }),
  });
  const status = { ...bound("status"), "aria-invalid": isUnfinished(view) };
  return (
    <>
      <Choice name="Operation" values={["", ...operationNames, "none"]} {...bound("operation")} />
      <Field name="Status" placeholder="404, 4xx, none" size={10} {...status} />
      <Field name="Search" label="Search requests" type="search" {...bound("search")} />
    </>
  );
}

/** An incompletely typed status is not yet a filter. */
const isUnfinished = ({ status }: View) => status !== "" && !statusFilter.test(status);

/** The rows, read again only when the view or the requests change. A reset removes them at once. */
function useRequests(state: State, view: View, isPaused: boolean): RequestList | undefined {
  const era = eraOf(state);
  const [known, setKnown] = useState<{ era: string; list: RequestList }>();
  const { total, open } = state.requests;
  const { operation, search, befores } = view;
  const status = isUnfinished(view) ? "" : view.status;
  const asked = { operation, status, search, before: String(befores.at(-1) ?? "") };
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
