import { CreateInterruptedError } from "screenshot-sets";
import {
  memoryStore,
  type SetState,
  type StepResult,
  type StoredSet,
  stepSet,
} from "screenshot-sets/durable";
import { expect, test } from "vitest";
import { outcomePage } from "../helpers/outcome-page.js";
import {
  full,
  inShort,
  type Row,
  rows,
  type Situation,
  situationOf,
  waitingFor,
} from "../helpers/outcome-table.js";

/** A step with each form, on the record that is found; both tell what is stored at the end. */
const forms = {
  store({ client, params, state, saves, mock }: Situation) {
    const memory = memoryStore();
    const { baseUrl } = mock.clientOptions;
    if (state) memory.save("order-7", { version: 2, baseUrl, params, state }, undefined);
    const save = (key: string, next: unknown, previous: unknown) =>
      saves((next as StoredSet | null)?.state, () => memory.save(key, next, previous));
    const stored = () => (memory.load("order-7") as StoredSet | null)?.state;
    return { step: () => stepSet(client, { key: "order-7", params, store: { ...memory, save } }), stored };
  },

  state({ client, params, state, saves }: Situation) {
    const memory = memoryStore();
    memory.save("order-7", state, undefined);
    const save = (next: SetState | undefined, previous: SetState | undefined) =>
      saves(next, () => memory.save("order-7", next, previous));
    const loaded = memory.load("order-7") as SetState | null;
    const stored = () => (memory.load("order-7") ?? undefined) as SetState | undefined;
    return { step: () => stepSet(client, { params, state: loaded }, save), stored };
  },
};

function inWords({ status, delayMs = 0, jobId, error, charged }: StepResult): string {
  const job = jobId ? `, ${jobId}` : "";
  if (status === "failed") return `failed ${charged}${job}`;
  if (status !== "waiting") return `${status}${job}`;
  return `waits${delayMs < 5_000 ? "" : ` ${delayMs / 1_000} s`}${job}${waitingFor(error)}`;
}

/** What must be so of every result. */
function check(result: StepResult, row: Row): void {
  const { status, error, charged, jobId, credits } = result;
  if (error) expect(error.charged).toBe(status === "waiting" ? (jobId ? "yes" : "no") : charged);
  if (error) expect(error.jobId).toBe(jobId);
  if (status === "uncertain") expect(error).toBeInstanceOf(CreateInterruptedError);
  if (/^4/.test(row.answer) && status !== "uncertain")
    expect(error).toMatchObject({ status: Number.parseInt(row.answer, 10) });
  if (jobId && !/^(no credits|500)/.test(row.answer)) expect(credits).toMatchObject({ cost: 10 });
}

const all = rows.flatMap((row) => (["store", "state"] as const).map((form) => ({ ...row, form })));

/** What the step did to the credits: by the ledger, unless nobody can know. */
function chargeOf({ mock, state }: Situation, row: Row): string {
  if (row.charged === "-") return "-";
  const isUnknown = row.step.startsWith("uncertain") || state?.step === "sending";
  return isUnknown ? "maybe" : mock.credits.used > 0 ? "yes" : "no";
}

test("the page of the docs has this table", async () => {
  await expect(outcomePage()).toMatchFileSnapshot("../../docs/outcomes.md");
});

test.each(all)("$title → $step (by a $form)", async ({ form, ...row }) => {
  const situation = await situationOf(row);
  const { step, stored } = forms[form](situation);
  const [told, result] = await step().then(
    (result) => [inWords(result), result] as const,
    (error) => [`rejects${inShort(error)}`, error] as const,
  );
  const { does, logged } = situation;
  const followed = { does: does.join(", "), step: [told, ...logged].join("; ") };
  const charged = chargeOf(situation, row);
  expect({ ...followed, charged }).toEqual({ does: row.does, step: row.step, charged: row.charged });
  if (told === "rejects") expect(result).toBe(full);
  if (told.startsWith("rejects")) return;
  check(result, row);
  expect(result).not.toHaveProperty("isTransient");
  if (row.save === "" || row.save.startsWith("uncertain")) expect(result.state).toEqual(stored());
});
