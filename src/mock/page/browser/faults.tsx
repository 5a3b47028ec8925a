import { operationNames } from "../../../generated/values.js";
import type { FaultView, State } from "../schemas.js";
import { Action, ActionForm, Place } from "./actions.js";
import { call } from "./api.js";
import { Choice, Field, useForm } from "./elements.js";
import { jsonIn, textOf, typedNumber } from "./format.js";

const kinds = ["status", "latency", "reset", "hang", "malformed", "truncated"];

/** The labels of the fields whose input can be refused. */
const labels = {
  status: "Status of the answer",
  retryAfter: "Retry-After in seconds",
  latencyMs: "Milliseconds",
  times: "Times (empty: always)",
  skip: "Skip",
};

const blank = {
  kind: "status",
  status: "503",
  retryAfter: "",
  body: "",
  latencyMs: "1000",
  operation: "",
  times: "1",
  skip: "0",
  when: "before",
};

export function Faults({ state }: { state: State }) {
  const { form, bound } = useForm(blank);
  return (
    <section id="faults" aria-label="Faults" tabIndex={-1}>
      <h2>Faults</h2>
      <ActionForm
        class="card fault-form"
        run={() => call("POST", "faults", faultOf(form))}
        subject="Fault"
        labels={labels}
      >
        <Choice name="Fault" values={kinds} {...bound("kind")} />
        {form.kind === "status" && (
          <>
            <Field name={labels.status} {...bound("status")} />
            <Field name={labels.retryAfter} {...bound("retryAfter")} />
            <Field name="Body of the answer" {...bound("body")} />
          </>
        )}
        {form.kind === "latency" && <Field name={labels.latencyMs} {...bound("latencyMs")} />}
        <Choice name="For operation" values={["", ...operationNames]} {...bound("operation")} />
        <Choice name="When" values={["before", "after"]} {...bound("when")} />
        <Field name={labels.times} {...bound("times")} />
        <Field name={labels.skip} {...bound("skip")} />
        <button type="submit">Arm fault</button>
      </ActionForm>
      {state.faults.length === 0 && <p class="empty">No fault is armed.</p>}
      <Place>
        <ul aria-label="Armed faults" class="armed" tabIndex={-1}>
          {state.faults.map((fault) => (
            <Armed key={fault.id} fault={fault} />
          ))}
        </ul>
      </Place>
    </section>
  );
}

function Armed({ fault: { id, fault, operation, account, times, skip, when } }: { fault: FaultView }) {
  const where = `${operation ?? "any operation"}${account ? ` of account ${account}` : ""}`;
  const isApplied = fault === "malformed" || fault === "truncated";

  return (
    <li data-testid="fault">
      <span>
        <b>{effectOf(fault)}</b>, {timesWords(times)}, {isApplied ? "after" : when} {where}
        {skip !== 0 && `, skipping ${skip === null ? "all" : `the next ${skip === 1 ? "one" : skip}`}`}
      </span>
      <Action text="Disarm" target={id} kind="quiet" run={() => call("DELETE", `faults/${id}`)} />
    </li>
  );
}

/** What a fault does, in words. */
function effectOf(fault: FaultView["fault"]): string {
  if (typeof fault === "string") return namedEffects[fault];
  const { status, latencyMs, retryAfter, headers, body } = fault;
  return [
    status,
    latencyMs !== undefined && `${latencyMs.toLocaleString("en")} ms late`,
    retryAfter !== undefined && `Retry-After ${retryAfter} s`,
    headers && `headers ${textOf(headers, 150)}`,
    body !== undefined && `body ${textOf(body, 150)}`,
  ]
    .filter(Boolean)
    .join(", ");
}

const namedEffects = {
  reset: "connection reset",
  hang: "hang without an answer",
  malformed: "malformed answer",
  truncated: "truncated answer",
};

function timesWords(times: number | null): string {
  if (times === null) return "always";
  return ["", "once", "twice"][times] ?? `${times} times`;
}

/** The fault in the form, as the control API accepts it. */
function faultOf(form: typeof blank): object {
  const fault = {
    status: {
      status: typedNumber(form.status),
      ...(form.retryAfter !== "" && { retryAfter: typedNumber(form.retryAfter) }),
      ...(form.body !== "" && { body: jsonIn(form.body) }),
    },
    latency: { latencyMs: typedNumber(form.latencyMs) },
  }[form.kind];
  return {
    fault: fault ?? form.kind,
    operation: form.operation || null,
    times: form.times.trim() === "" ? null : typedNumber(form.times),
    skip: typedNumber(form.skip || "0"),
    when: form.when,
  };
}
