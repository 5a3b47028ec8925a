import type { ComponentProps } from "preact";
import { useState } from "preact/hooks";
import { plural } from "../../../text/figures.js";
import { lifecycleForms, lifecycleWords, readLifecycle } from "../../lifecycle.js";
import type { AccountView, LedgerView, State } from "../schemas.js";
import { Action, ActionForm, copy, Place } from "./actions.js";
import { call } from "./api.js";
import { Field, TableHead } from "./elements.js";
import { formatTime, jsonIn, typedNumber } from "./format.js";

export function Accounts({ state, era }: { state: State; era: string }) {
  return (
    <section id="accounts" aria-label="Accounts" tabIndex={-1}>
      <h2>Accounts</h2>
      {state.accounts.map((account) => (
        <Account key={account.id} account={account} era={era} />
      ))}
    </section>
  );
}

function Account({ account, era }: { account: AccountView; era: string }) {
  const { id, remaining, used, allowance, lifecycle, apps, jobs } = account;
  const change = (body: object) => call("PATCH", `accounts/${id}`, body);
  const share = allowance > 0 ? Math.min(remaining / allowance, 1) : 0;
  // Setting the credits is no use of them, so that alone would leave a gap between the figures.
  const added = remaining + used - allowance;

  return (
    <fieldset aria-label={`Account ${id}`} class="card" tabIndex={-1}>
      <h3>Account {id}</h3>
      <p class="credits">
        <span>
          <b data-testid="credits-left">{remaining}</b> left
        </span>
        <span>
          <b data-testid="credits-used">{used}</b> used
        </span>
        {added < 0 && <span>{-added} taken away</span>}
        <span>
          of {allowance}
          {added > 0 && ` and ${added} added`}
        </span>
      </p>
      <meter aria-hidden="true" value={share} />
      <p class="faint">
        {plural(apps, "app")}, {plural(jobs, "job")}
      </p>
      <Setter
        id={id}
        name="Credits left"
        what="credits"
        value={String(remaining)}
        set={(text) => change({ remaining: typedNumber(text) })}
        input={{ type: "number", min: 0 }}
      />
      <Setter
        id={id}
        name="Lifecycle"
        what="lifecycle"
        value={lifecycleWords(lifecycle)}
        set={async (text) => change({ lifecycle: readLifecycle(text.trim()) })}
        input={{ title: lifecycleForms, spellcheck: false }}
      />
      <Setter
        id={id}
        name="Slides of the next job"
        what="slides"
        value=""
        set={(text) =>
          call("POST", `accounts/${id}/next-job`, { outcome: "succeeded", slides: jsonIn(text) })
        }
        input={{ placeholder: '[{ "caption": "Hello" }]', spellcheck: false }}
      />
      <Place>
        <Keys key={era} account={account} />
      </Place>
    </fieldset>
  );
}

interface SetterProps {
  id: string;
  name: string;
  what: string;
  value: string;
  /** Sets what a text stands for. */
  set(text: string): Promise<unknown>;
  input: ComponentProps<"input">;
}

/** A form for one setting of an account. It shows the mock's value until the user types, and again once it is set. */
function Setter({ id, name, what, value, set, input }: SetterProps) {
  const [draft, setDraft] = useState<string>();
  const text = draft ?? value;
  async function run() {
    await set(text);
    // What was typed since then stays.
    setDraft((current) => (current === draft ? undefined : current));
  }
  return (
    <ActionForm class="setter" run={run} subject={name}>
      <Field {...input} name={name} label={`${name} of account ${id}`} value={text} onText={setDraft} />
      <button type="submit" aria-label={`Set ${what} of account ${id}`}>
        Set
      </button>
    </ActionForm>
  );
}

function Keys({ account: { id, keys } }: { account: AccountView }) {
  const [made, setMade] = useState<Record<string, string>>({});
  async function create() {
    const { id: keyId, key } = await call<{ id: string; key: string }>("POST", `accounts/${id}/keys`);
    setMade((earlier) => ({ ...earlier, [keyId]: key }));
  }
  const revoke = (keyId: string) => call("DELETE", `accounts/${id}/keys/${keyId}`);
  return (
    <>
      <ul aria-label={`Keys of account ${id}`} class="keys" tabIndex={-1}>
        {keys.map(({ id: keyId, masked, revoked }) => (
          <li key={keyId} class={revoked ? "revoked" : undefined}>
            <span>{keyId}</span> <code>{masked}</code>
            {revoked && <em>revoked</em>}
            {!revoked && made[keyId] && (
              <Action text="Copy" target={keyId} run={() => copy(made[keyId] ?? "")} />
            )}
            {!revoked && <Action text="Revoke" target={keyId} kind="quiet" run={() => revoke(keyId)} />}
          </li>
        ))}
      </ul>
      <Action text="Create key" target={`of account ${id}`} run={create} />
    </>
  );
}

const ledgerColumns = ["Time", "Account", "Amount", "Job", "Key"];

export function Ledger({ state: { ledger } }: { state: State }) {
  return (
    <section id="ledger" aria-label="Ledger" tabIndex={-1}>
      <h2>Ledger</h2>
      <table aria-label="Ledger">
        <TableHead columns={ledgerColumns} />
        <tbody>{ledger.map(ledgerRow)}</tbody>
      </table>
      {ledger.length === 0 && <p class="empty">Nothing was charged yet.</p>}
    </section>
  );
}

const ledgerRow = ({ time, account, amount, jobId, keyId }: LedgerView) => (
  <tr data-testid="ledger-row">
    <td>
      {formatTime(time).slice(11)}
      <small class="faint">{formatTime(time).slice(0, 10)}</small>
    </td>
    <td>{account}</td>
    <td class={amount < 0 ? "charge" : "refund"}>
      {amount > 0 ? `+${amount}` : String(amount).replace("-", "−")}
    </td>
    <td class="free">{jobId ?? "none"}</td>
    <td class="free">{keyId}</td>
  </tr>
);
