import * as fc from "fast-check";
import type { Fault, LedgerRow } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { draws } from "../helpers/draws.js";
import { day, openMock } from "./ask.js";

type Outcome = "succeeded" | "failed";

interface Job {
  row: LedgerRow;
  id: string;
  outcome: Outcome;
  looks: number;
  hasEnded: boolean;
}

/** A mock, and what its account's credits must come to, in the fewest words. */
interface Scene extends ReturnType<typeof openMock> {
  appId: string;
  isRefunding: boolean;
  allowance: number;
  month: number;
  remaining: number;
  used: number;
  rows: LedgerRow[];
  keys: { id: string; key: string; isValid: boolean }[];
  /** The outcomes of the next accepted jobs. */
  plans: Outcome[];
  jobs: Job[];
}

/** What steps are given: most need only some of it. */
interface Details {
  /** Which key or job. */
  index: number;
  /** How many slides, credits, or half days. */
  amount: number;
  outcome: Outcome;
  /** What becomes of a set's request. */
  loss: { fault: Fault; when: "before" | "after" } | undefined;
}

function monthOf(time: number): number {
  const date = new Date(time);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

const pick = <T>(values: T[], index: number) => values[index % values.length] as T;

function turnMonth(scene: Scene) {
  const month = monthOf(scene.mock.clock.now());
  if (month !== scene.month) Object.assign(scene, { month, remaining: scene.allowance, used: 0 });
}

/** A job ends once. It is refunded then if it failed, but not into the allowance of a later month. */
function end(job: Job, outcome: Outcome, scene: Scene) {
  Object.assign(job, { hasEnded: true, outcome });
  if (outcome !== "failed" || !scene.isRefunding) return;
  scene.rows.push({ ...job.row, time: scene.mock.clock.now(), amount: 10 });
  if (monthOf(job.row.time) !== scene.month) return;
  scene.remaining += 10;
  scene.used -= 10;
}

const steps = {
  createKey({ keys, mock }) {
    keys.push({ id: `key_${keys.length + 1}`, key: mock.keys.create(), isValid: true });
  },
  revokeKey({ keys, mock }, { index }) {
    const chosen = pick(keys, index);
    mock.keys.revoke(chosen.key);
    chosen.isValid = false;
  },
  planJob({ plans, mock }, { outcome }) {
    mock.nextJob({ outcome });
    plans.push(outcome);
  },
  /** Whether a set is accepted decides on the credits, whatever becomes of the answer. */
  async createSet(scene, { index, amount, loss }) {
    const { mock, createSet, jobs } = scene;
    const { id: keyId, key, isValid } = pick(scene.keys, index);
    const count = (amount % 11) + 1;
    const reaches = loss?.when !== "before" || loss.fault === "malformed" || loss.fault === "truncated";
    const isAccepted = isValid && reaches && count <= 10 && scene.remaining >= 10;
    if (loss && isValid) mock.fault(loss.fault, { when: loss.when });

    const init = { headers: { "x-api-key": key } };
    const answer = await createSet(scene.appId, { count }, init).catch(() => undefined);

    if (isAccepted) {
      const row = { time: mock.clock.now(), amount: -10, jobId: `job_${jobs.length + 1}`, keyId };
      scene.rows.push(row);
      const outcome = scene.plans.shift() ?? "succeeded";
      jobs.push({ row, id: row.jobId, outcome, looks: 0, hasEnded: false });
      scene.remaining -= 10;
      scene.used += 10;
    }
    if (!loss) expect(answer?.status === 201).toBe(isAccepted);
    const entry = mock.requests({ operation: "createScreenshots" }).at(-1);
    expect(entry?.credits).toBe(isAccepted ? 10 : 0);
  },
  async poll(scene, { index }) {
    const valid = scene.keys.find(({ isValid }) => isValid);
    if (scene.jobs.length === 0 || !valid) return;
    const job = pick(scene.jobs, index);
    const { body } = await scene.look(job.id, { headers: { "x-api-key": valid.key } });
    const phase = ["queued", "running"][job.looks++];
    if (!job.hasEnded && !phase) end(job, job.outcome, scene);
    expect(body.status).toBe(job.hasEnded ? job.outcome : phase);
  },
  endJob(scene, { index, outcome }) {
    if (scene.jobs.length === 0) return;
    const job = pick(scene.jobs, index);
    const act = () => scene.mock.jobs[outcome === "failed" ? "fail" : "succeed"](job.id);
    if (job.hasEnded) return void expect(act).toThrow(`it has ${job.outcome} already`);
    act();
    end(job, outcome, scene);
  },
  setCredits(scene, { amount }) {
    scene.mock.credits.set(amount);
    scene.remaining = amount;
  },
  advance: ({ mock }, { amount }) => mock.clock.advance((amount / 2) * day),
} satisfies Record<string, (scene: Scene, details: Details) => Promise<void> | void>;

const loss = fc.record({
  fault: fc.constantFrom<Fault>("reset", "malformed", "truncated", { status: 503 }, { status: 201 }),
  when: fc.constantFrom("before" as const, "after" as const),
});
const names = Object.keys(steps) as (keyof typeof steps)[];
const sequence = fc.array(
  fc.record({
    // Most of what can go wrong begins with a set.
    name: fc.constantFrom(...names, ...Array<"createSet">(3).fill("createSet")),
    index: fc.nat({ max: 5 }),
    amount: fc.nat({ max: 60 }),
    outcome: fc.constantFrom<Outcome>("succeeded", "failed"),
    loss: fc.option(loss, { nil: undefined, freq: 2 }),
  }),
  { maxLength: 40, size: "max" },
);

test("loses, invents and wrongly charges no credits in any sequence of steps", {
  timeout: 120_000,
}, async () => {
  const runs = fc.asyncProperty(
    fc.constantFrom(0, 10, 25, 100),
    fc.boolean(),
    sequence,
    async (allowance, isRefunding, sequence) => {
      const opened = openMock({ allowance, undocumented: { refundFailedJobs: isRefunding } });
      const { clock, clientOptions, credits } = opened.mock;
      const scene: Scene = {
        ...opened,
        appId: await opened.createApp(),
        isRefunding,
        rows: [],
        plans: [],
        jobs: [],
        allowance,
        month: monthOf(clock.now()),
        remaining: allowance,
        used: 0,
        keys: [{ id: "key_1", key: clientOptions.apiKey, isValid: true }],
      };
      for (const { name, ...details } of sequence) {
        turnMonth(scene);
        await steps[name](scene, details);
        turnMonth(scene);
        expect(credits).toMatchObject({ remaining: scene.remaining, used: scene.used });
        expect(credits.ledger()).toEqual(scene.rows);
      }
    },
  );
  await fc.assert(runs, { numRuns: draws(1_200) });
});
