import type { ComponentProps } from "preact";
import { useState } from "preact/hooks";
import { lifecycleWords, readLifecycle } from "../../lifecycle-words.js";
import type { AccountView, State } from "../schemas.js";
import { Action, ActionForm } from "./action.js";
import { call } from "./api.js";
import { Field } from "./fields.js";
import { numberIn, plural } from "./format.js";
import { eraOf } from "./page-context.js";
import { remembered } from "./shared.js";

const group = remembered((account: AccountView) => <Account account={account} />);

export function Accounts({ state }: { state: State }) {
  const era = eraOf(state);
  return (
    <section id="accounts" aria-label="Accounts" tabIndex={-1}>
      <h2>Accounts</h2>
      {state.accounts.map((account) => (
        <div key={`${era}/${account.id}`}>{group(account)}</div>
      ))}
    </section>
  );
}

function Account({ account }: { account: AccountView }) {
  const { id, remaining, used, allowance, lifecycle, apps, jobs } = account;
  const share = allowance > 0 ? Math.min(remaining / allowance, 1) : 0;
  return (
    <fieldset aria-label={`Account ${id}`} class="card" tabIndex={-1}>
      <h3>Account {id}</h3>
      <p class="credits">
        <span>
          <b data-testid="credits-left">{remaining}</b> left
        </span>
        <span>
          <b data-testid="credits-used">{used}</b> used of {allowance}
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
        read={(text) => ({ remaining: numberIn(text) })}
        input={{ type: "number", min: 0 }}
      />
      <Setter
        id={id}
        name="Lifecycle"
        what="lifecycle"
        value={lifecycleWords(lifecycle)}
        read={(text) => ({ lifecycle: readLifecycle(text.trim()) })}
        input={{ title: "instant, manual, 2p,3p in polls or 2s,3s in seconds", spellcheck: false }}
      />
      <Keys account={account} />
    </fieldset>
  );
}

interface SetterProps {
  id: string;
  name: string;
  what: string;
  value: string;
  /** The change of the account that a text stands for. */
  read(text: string): object;
  input: ComponentProps<"input">;
}

/** A form for one setting of an account. It shows the mock's value until the user types, and again once it is set. */
function Setter({ id, name, what, value, read, input }: SetterProps) {
  const [draft, setDraft] = useState<string>();
  const text = draft ?? value;
  async function set() {
    await call("PATCH", `accounts/${id}`, read(text));
    // What was typed since then stays.
    setDraft((current) => (current === draft ? undefined : current));
  }
  return (
    <ActionForm class="setter" run={set}>
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
  const copy = (keyId: string) => navigator.clipboard.writeText(made[keyId] ?? "");
  const revoke = (keyId: string) => call("DELETE", `accounts/${id}/keys/${keyId}`);
  return (
    <>
      <ul aria-label={`Keys of account ${id}`} class="keys" tabIndex={-1}>
        {keys.map(({ id: keyId, masked, revoked }) => (
          <li key={keyId} class={revoked ? "revoked" : undefined}>
            <span>{keyId}</span> <code>{masked}</code>
            {revoked && <em>revoked</em>}
            {!revoked && made[keyId] && <Action text="Copy" target={keyId} run={() => copy(keyId)} />}
            {!revoked && <Action text="Revoke" target={keyId} kind="quiet" run={() => revoke(keyId)} />}
          </li>
        ))}
      </ul>
      <Action text="Create key" target={`of account ${id}`} run={create} />
    </>
  );
}
