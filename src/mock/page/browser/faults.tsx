import { operationNames } from "../../../generated/values.js";
import type { FaultView, State } from "../schemas.js";
import { Action, ActionForm, Place } from "./actions.js";
import { call } from "./api.js";
import { Choice, Field, useForm } from "./elements.js";
import { jsonIn, numberIn, plural, textOf } from "./format.js";

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
  return (
    <li data-testid="fault">
      <span>
        <b>{textOf(fault, 300)}</b> {operation ?? "any operation"}
        {account && ` of account ${account}`}, {times === null ? "always" : plural(times, "time")}
        {skip !== 0 && `, after ${skip ?? "∞"}`}, {when}
      </span>
      <Action text="Disarm" target={id} kind="quiet" run={() => call("DELETE", `faults/${id}`)} />
    </li>
  );
}

/** The fault in the form, as the control API accepts it. */
function faultOf(form: typeof blank): object {
  const fault = {
    status: {
      status: numberIn(form.status),
      ...(form.retryAfter !== "" && { retryAfter: numberIn(form.retryAfter) }),
      ...(form.body !== "" && { body: jsonIn(form.body) }),
    },
    latency: { latencyMs: numberIn(form.latencyMs) },
  }[form.kind];
  return {
    fault: fault ?? form.kind,
    operation: form.operation || null,
    times: form.times.trim() === "" ? null : numberIn(form.times),
    skip: numberIn(form.skip || "0"),
    when: form.when,
  };
}
