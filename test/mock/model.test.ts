import * as fc from "fast-check";
import { createMock, type Fault, type Mock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { asking, day } from "./ask.js";

/** What an account's credits must come to, in the fewest words: an allowance a month, less 10 for each accepted set. */
interface Model {
  allowance: number;
  month: number;
  remaining: number;
  keys: { key: string; isValid: boolean }[];
  apps: string[];
  jobs: { id: string; looks: number }[];
}

interface Real {
  mock: Mock;
  ask: ReturnType<typeof asking>["ask"];
}

type Command = fc.AsyncCommand<Model, Real>;

const monthOf = (mock: Mock) => new Date(mock.clock.now()).getUTCMonth();

/** The key for a request, which is valid or not. */
const pick = <T>(values: T[], index: number): T => values[index % values.length] as T;

function turnMonth(model: Model, mock: Mock) {
  if (monthOf(mock) !== model.month)
    Object.assign(model, { month: monthOf(mock), remaining: model.allowance });
}

/** Whatever happened, the credits are those of the model, and every row stands for an accepted set. */
function checkCredits(model: Model, { mock }: Real) {
  turnMonth(model, mock);
  const rows = mock.credits.ledger();
  expect(mock.credits.remaining).toBe(model.remaining);
  expect(mock.credits.used).toBe(model.allowance - model.remaining);
  expect(mock.credits.remaining).toBeGreaterThanOrEqual(0);
  expect(rows.map(({ jobId }) => jobId)).toEqual(model.jobs.map(({ id }) => id));
  expect(rows.every(({ amount }) => amount === -10)).toBe(true);
}

const command = (name: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  async run(model, real) {
    await run(model, real);
    checkCredits(model, real);
  },
  toString: () => name,
});

const createKey = command("create a key", async ({ keys }, { mock }) => {
  keys.push({ key: mock.keys.create(), isValid: true });
});

const revokeKey = (index: number) =>
  command(`revoke key ${index}`, async ({ keys }, { mock }) => {
    const chosen = pick(keys, index);
    mock.keys.revoke(chosen.key);
    chosen.isValid = false;
  });

const createApp = (index: number) =>
  command(`create an app with key ${index}`, async ({ keys, apps }, { ask }) => {
    const { key, isValid } = pick(keys, index);
    const { status, body } = await ask(
      "/public/v1/apps",
      { iosUrl: "https://a" },
      { headers: { "x-api-key": key } },
    );
    expect(status).toBe(isValid ? 200 : 401);
    if (isValid) apps.push(body.appId);
  });

/** What becomes of a set: whether it is accepted decides on the credits, whatever becomes of the answer. */
const createSet = (index: number, count: number, fault?: { fault: Fault; when: "before" | "after" }) =>
  command(
    `create a set of ${count} with key ${index} and ${JSON.stringify(fault)}`,
    async (model, { mock, ask }) => {
      const { key, isValid } = pick(model.keys, index);
      const appId = model.apps[0] ?? "app_0";
      const reaches =
        isValid && (fault?.when !== "before" || fault.fault === "malformed" || fault.fault === "truncated");
      const isSound = model.apps.length > 0 && count <= 10;
      turnMonth(model, mock);
      const isAccepted = reaches && isSound && model.remaining >= 10;
      if (fault && isValid) mock.fault(fault.fault, { when: fault.when });

      const set = { appId, device: "iphone-69", count };
      const init = { headers: { "x-api-key": key }, signal: AbortSignal.timeout(5_000) };
      const answer = await ask("/public/v1/screenshots", set, init).catch(() => undefined);

      if (isAccepted) {
        model.remaining -= 10;
        model.jobs.push({ id: `job_${model.jobs.length + 1}`, looks: 0 });
      }
      if (!fault) expect(answer?.status === 201).toBe(isAccepted);
    },
  );

const poll = (index: number) =>
  command(`poll job ${index}`, async ({ jobs, keys }, { ask }) => {
    const valid = keys.find(({ isValid }) => isValid);
    if (jobs.length === 0 || !valid) return;
    const job = pick(jobs, index);
    const { body } = await ask(`/public/v1/jobs/${job.id}`, undefined, {
      headers: { "x-api-key": valid.key },
    });
    expect(body.status).toBe(["queued", "running", "succeeded"][Math.min(job.looks++, 2)]);
  });

const advance = (ms: number) =>
  command(`advance by ${ms} ms`, async (_, { mock }) => {
    await mock.clock.advance(ms);
  });

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
const commands = [
  fc.constant(createKey),
  index.map(revokeKey),
  index.map(createApp),
  fc.tuple(index, fc.integer({ min: 1, max: 11 })).map(([key, count]) => createSet(key, count)),
  fc
    .tuple(index, fc.integer({ min: 1, max: 10 }), loss)
    .map(([key, count, fault]) => createSet(key, count, fault)),
  index.map(poll),
  fc.integer({ min: 0, max: 40 * day }).map(advance),
];

test("loses, invents and wrongly charges no credits in any sequence of steps", {
  timeout: 120_000,
}, async () => {
  const runs = fc.asyncProperty(
    fc.constantFrom(0, 10, 25, 100),
    fc.commands(commands, { maxCommands: 40 }),
    async (allowance, sequence) => {
      const mock = createMock({ allowance });
      const { apiKey } = mock.clientOptions;
      const keys = [{ key: apiKey, isValid: true }];
      const model = { allowance, month: 0, remaining: allowance, keys, apps: [], jobs: [] };
      await fc.asyncModelRun(() => ({ model, real: { mock, ask: asking(mock).ask } }), sequence);
    },
  );
  await fc.assert(runs, { numRuns: 1_000 });
});
