import * as fc from "fast-check";
import type { Fault, LedgerRow, Mock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { day, openMock } from "./ask.js";

/** What an account's credits must come to, in the fewest words. */
interface Model {
  allowance: number;
  month: number;
  remaining: number;
  used: number;
  rows: LedgerRow[];
  keys: { id: string; key: string; isValid: boolean }[];
  /** The outcomes of the next accepted jobs. */
  plans: Outcome[];
  jobs: { row: LedgerRow; id: string; outcome: Outcome; looks: number; hasEnded: boolean }[];
}

type Outcome = "succeeded" | "failed";

interface Real extends ReturnType<typeof openMock> {
  appId: string;
  isRefunding: boolean;
}

type Command = fc.AsyncCommand<Model, Real>;

function monthOf(time: number): number {
  const date = new Date(time);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

const pick = <T>(values: T[], index: number): T => values[index % values.length] as T;

function turnMonth(model: Model, { clock }: Mock) {
  const month = monthOf(clock.now());
  if (month !== model.month) Object.assign(model, { month, remaining: model.allowance, used: 0 });
}

const command = (name: string, run: (model: Model, real: Real) => Promise<void> | void): Command => ({
  check: () => true,
  async run(model, real) {
    const { mock } = real;
    turnMonth(model, mock);
    await run(model, real);
    turnMonth(model, mock);
    expect(mock.credits).toMatchObject({ remaining: model.remaining, used: model.used });
    expect(mock.credits.ledger()).toEqual(model.rows);
  },
  toString: () => name,
});

const createKey = command("create a key", ({ keys }, { mock }) => {
  keys.push({ id: `key_${keys.length + 1}`, key: mock.keys.create(), isValid: true });
});

const revokeKey = (index: number) =>
  command(`revoke key ${index}`, ({ keys }, { mock }) => {
    const chosen = pick(keys, index);
    mock.keys.revoke(chosen.key);
    chosen.isValid = false;
  });

const plan = (outcome: Outcome) =>
  command(`plan that a job has ${outcome}`, ({ plans }, { mock }) => {
    mock.nextJob({ outcome });
    plans.push(outcome);
  });

/** Whether a set is accepted decides on the credits, whatever becomes of the answer. */
const createSet = (index: number, count: number, fault?: { fault: Fault; when: "before" | "after" }) =>
  command(
    `create a set of ${count} with key ${index} and ${JSON.stringify(fault)}`,
    async (model, { mock, ask, appId }) => {
      const { id: keyId, key, isValid } = pick(model.keys, index);
      const reaches =
        isValid && (fault?.when !== "before" || fault.fault === "malformed" || fault.fault === "truncated");
      const isSound = count <= 10;
      const isAccepted = reaches && isSound && model.remaining >= 10;
      if (fault && isValid) mock.fault(fault.fault, { when: fault.when });

      const set = { appId, device: "iphone-69", count };
      const init = { headers: { "x-api-key": key } };
      const answer = await ask("/public/v1/screenshots", set, init).catch(() => undefined);

      if (isAccepted) {
        const id = `job_${model.jobs.length + 1}`;
        const row = { time: mock.clock.now(), amount: -10, jobId: id, keyId };
        model.rows.push(row);
        model.jobs.push({ row, id, outcome: model.plans.shift() ?? "succeeded", looks: 0, hasEnded: false });
        model.remaining -= 10;
        model.used += 10;
      }
      if (!fault) expect(answer?.status === 201).toBe(isAccepted);
      const entry = mock.requests({ operation: "createScreenshots" }).at(-1);
      expect(entry?.credits).toBe(isAccepted ? 10 : 0);
    },
  );

/** A job ends once. It is refunded then if it failed, but not into the allowance of a later month. */
function end(job: Model["jobs"][number], outcome: Outcome, model: Model, { mock, isRefunding }: Real) {
  Object.assign(job, { hasEnded: true, outcome });
  if (outcome !== "failed" || !isRefunding) return;
  model.rows.push({ ...job.row, time: mock.clock.now(), amount: 10 });
  if (monthOf(job.row.time) !== model.month) return;
  model.remaining += 10;
  model.used -= 10;
}

const poll = (index: number) =>
  command(`poll job ${index}`, async (model, real) => {
    const valid = model.keys.find(({ isValid }) => isValid);
    if (model.jobs.length === 0 || !valid) return;
    const job = pick(model.jobs, index);
    const { body } = await real.look(job.id, { headers: { "x-api-key": valid.key } });
    const phase = ["queued", "running"][job.looks++];
    if (!job.hasEnded && !phase) end(job, job.outcome, model, real);
    expect(body.status).toBe(job.hasEnded ? job.outcome : phase);
  });

const endByHand = (index: number, action: "fail" | "succeed") =>
  command(`${action} job ${index}`, (model, real) => {
    if (model.jobs.length === 0) return;
    const job = pick(model.jobs, index);
    const act = () => real.mock.jobs[action](job.id);
    if (job.hasEnded) return void expect(act).toThrow(`it has ${job.outcome} already`);
    act();
    end(job, action === "fail" ? "failed" : "succeeded", model, real);
  });

const setCredits = (remaining: number) =>
  command(`set ${remaining} credits`, (model, { mock }) => {
    mock.credits.set(remaining);
    model.remaining = remaining;
  });

const advance = (ms: number) => command(`advance by ${ms} ms`, (_, { mock }) => mock.clock.advance(ms));

const index = fc.nat({ max: 5 });
const loss = fc.record({
  fault: fc.constantFrom<Fault>(
    "reset",
    "malformed",
    "truncated",
    { status: 503 },
    { status: 201, body: {} },
  ),
  when: fc.constantFrom("before" as const, "after" as const),
});
const aSet = fc
  .tuple(index, fc.integer({ min: 1, max: 11 }), fc.option(loss, { nil: undefined, freq: 2 }))
  .map((set) => createSet(...set));
const commands = [
  fc.constant(createKey),
  index.map(revokeKey),
  fc.constantFrom<Outcome>("succeeded", "failed").map(plan),
  // Most of what can go wrong begins with a set.
  ...[aSet, aSet, aSet, aSet],
  index.map(poll),
  fc.tuple(index, fc.constantFrom("fail", "succeed")).map(([job, action]) => endByHand(job, action)),
  fc.nat({ max: 60 }).map(setCredits),
  fc.integer({ min: 0, max: 40 * day }).map(advance),
];

test("loses, invents and wrongly charges no credits in any sequence of steps", {
  timeout: 120_000,
}, async () => {
  const runs = fc.asyncProperty(
    fc.constantFrom(0, 10, 25, 100),
    fc.boolean(),
    fc.commands(commands, { maxCommands: 40, size: "max" }),
    async (allowance, isRefunding, sequence) => {
      const opened = openMock({ allowance, undocumented: { refundFailedJobs: isRefunding } });
      const real = { ...opened, isRefunding, appId: await opened.createApp() };
      const { clock, clientOptions } = opened.mock;
      const model: Model = {
        ...{ allowance, month: monthOf(clock.now()), remaining: allowance, used: 0 },
        ...{ rows: [], plans: [], jobs: [] },
        keys: [{ id: "key_1", key: clientOptions.apiKey, isValid: true }],
      };
      await fc.asyncModelRun(() => ({ model, real }), sequence);
    },
  );
  await fc.assert(runs, { numRuns: 600 });
});
