import { memoryStore } from "screenshot-sets/batch";

/** What an account answered of its credits when it accepted a set. */
interface Answer {
  cost: number;
  remaining: number;
}

const upTo = (most: number) => Math.floor(Math.random() * (most + 1));
const chance = (probability: number) => Math.random() < probability;

/**
 * Draws an account that several sets were ordered from: one to six at once, from machines whose clocks differ, at two
 * prices. Answers are lost, charges are booked late, credits are refunded and the allowance returns. Gives what a store
 * then keeps, what the account answered, and when the uncertain sets began.
 */
export function drawnAccount() {
  const offsets = Array.from({ length: 1 + upTo(5) }, () => (chance(0.3) ? upTo(10_000) - 5_000 : 0));
  const begin = Date.UTC(2026, 10, 30, 23, 59);
  const free = offsets.map(() => begin);
  const lateShare = chance(0.3) ? 0.3 : 0;
  const secondPriceShare = chance(0.3) ? 0.3 : 0;
  const events: { time: number; happen(): void }[] = [];
  const store = memoryStore();
  const answers = new Map<string, Answer>();
  const began: [string, number][] = [];
  let balance = 300;

  for (let index = 0; index < 3 + upTo(11); index++) {
    const worker = upTo(offsets.length - 1);
    const offset = offsets[worker] as number;
    const sent = (free[worker] as number) + upTo(3_000);
    const charged = sent + upTo(2_000);
    const answered = charged + upTo(2_000);
    free[worker] = answered;
    const key = `set ${index}`;
    const sentAt = sent + offset;
    const cost = chance(secondPriceShare) ? 12 : 10;
    const charge = () => {
      balance -= cost;
    };
    if (chance(0.3)) {
      store.save(key, record({ step: "uncertain", at: sentAt }), null);
      began.push([key, sentAt]);
      if (chance(0.8)) events.push({ time: charged, happen: charge });
      continue;
    }
    const lateMs = chance(lateShare) ? upTo(20_000) : 0;
    const accept = () => {
      const jobId = `job_${answers.size + 1}`;
      const answer = { cost, remaining: balance };
      answers.set(jobId, answer);
      const credits = chance(0.02) ? {} : { credits: answer };
      const accepted = { step: "accepted", jobId, ...credits, sentAt, at: answered + offset, polls: 0 };
      store.save(key, record(accepted), null);
    };
    // A charge that is booked late does not show in the answer.
    events.push({ time: charged + lateMs, happen: charge }, { time: charged, happen: accept });
  }
  const during = () => begin + upTo(Math.max(...free) - begin);
  const refund = () => {
    balance += 10;
  };
  const allowanceReturns = () => {
    balance = 300;
  };
  if (chance(0.2)) events.push({ time: during(), happen: refund });
  if (chance(0.2)) events.push({ time: during(), happen: allowanceReturns });
  for (const { happen } of events.sort((one, other) => one.time - other.time)) happen();
  return { entries: store.list() as Iterable<[string, unknown]>, answers, began };
}

function record(state: object) {
  return { version: 2, params: { appId: "app_1", device: "iphone-69" }, state: { version: 2, ...state } };
}
