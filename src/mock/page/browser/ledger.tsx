import type { LedgerView, State } from "../schemas.js";
import { formatTime } from "./format.js";
import { TableHead } from "./table-head.js";

const columns = ["Time", "Account", "Amount", "Job", "Key"];

export function Ledger({ state: { ledger } }: { state: State }) {
  return (
    <section id="ledger" aria-label="Ledger" tabIndex={-1}>
      <h2>Ledger</h2>
      <table aria-label="Ledger">
        <TableHead columns={columns} />
        <tbody>{ledger.map(row)}</tbody>
      </table>
      {ledger.length === 0 && <p class="empty">Nothing was charged yet.</p>}
    </section>
  );
}

const row = ({ time, account, amount, jobId, keyId }: LedgerView) => (
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
