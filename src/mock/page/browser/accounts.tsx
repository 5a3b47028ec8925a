import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { lifecycleWords, readLifecycle } from "../../lifecycle-words.js";
import type { AccountView, State } from "../schemas.js";
import { Action, ActionForm } from "./action.js";
import { call } from "./api.js";
import { useDraft } from "./draft.js";
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
  const { id, remaining, used, allowance, apps, jobs } = account;
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
      <CreditsForm account={account} />
      <LifecycleForm account={account} />
      <Keys account={account} />
    </fieldset>
  );
}

function CreditsForm({ account: { id, remaining } }: { account: AccountView }) {
  const draft = useDraft(String(remaining));
  const change = () => call("PATCH", `accounts/${id}`, { remaining: numberIn(draft.text) });
  return (
    <Setter name={`Set credits of account ${id}`} {...{ draft, change }}>
      <label>
        Credits left
        <input type="number" min="0" aria-label={`Credits left of account ${id}`} {...draft.props} />
      </label>
    </Setter>
  );
}

function LifecycleForm({ account: { id, lifecycle } }: { account: AccountView }) {
  const draft = useDraft(lifecycleWords(lifecycle));
  const change = async () => call("PATCH", `accounts/${id}`, { lifecycle: readLifecycle(draft.text.trim()) });
  const forms = "instant, manual, 2p,3p in polls or 2s,3s in seconds";
  return (
    <Setter name={`Set lifecycle of account ${id}`} {...{ draft, change }}>
      <label>
        Lifecycle
        <input aria-label={`Lifecycle of account ${id}`} title={forms} spellcheck={false} {...draft.props} />
      </label>
    </Setter>
  );
}

interface SetterProps {
  name: string;
  draft: ReturnType<typeof useDraft>;
  change(): Promise<unknown>;
  children: ComponentChildren;
}

function Setter({ name, draft, change, children }: SetterProps) {
  async function set() {
    await change();
    draft.clear();
  }
  return (
    <ActionForm class="setter" run={set}>
      {children}
      <button type="submit" aria-label={name}>
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
  return (
    <>
      <ul aria-label={`Keys of account ${id}`} class="keys" tabIndex={-1}>
        {keys.map(({ id: keyId, masked, revoked }) => (
          <li key={keyId} class={revoked ? "revoked" : undefined}>
            <span>{keyId}</span> <code>{masked}</code>
            {revoked && <em>revoked</em>}
            {!revoked && made[keyId] && (
              <Action label={`Copy ${keyId}`} run={() => navigator.clipboard.writeText(made[keyId] ?? "")}>
                Copy
              </Action>
            )}
            {!revoked && (
              <Action
                label={`Revoke ${keyId}`}
                kind="quiet"
                run={() => call("DELETE", `accounts/${id}/keys/${keyId}`)}
              >
                Revoke
              </Action>
            )}
          </li>
        ))}
      </ul>
      <Action label={`Create key of account ${id}`} run={create}>
        Create key
      </Action>
    </>
  );
}
