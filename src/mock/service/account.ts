import { appIdForm } from "../../generated/samples.js";
import type { Guesses } from "./guesses.js";
import { checkPlan, type JobPlan } from "./job-plan.js";
import { JobStore } from "./job-store.js";
import { generateKey, type KeyRegistry, type Keys } from "./keys.js";
import { Ledger } from "./ledger.js";
import type { Lifecycle } from "./lifecycle.js";
import { plainCopy } from "./plain-copy.js";
import type { Reply } from "./reply.js";

/** What a screenshot set costs, in credits. */
export const screenshotSetCost = 10;

/** How an account begins, and what it shares with the others of its mock. */
interface AccountSettings {
  /** 1 for the first account. */
  number: number;
  /** Generated if undefined. */
  apiKey: string | undefined;
  allowance: number;
  lifecycle: Lifecycle;
  now: () => number;
  /** Counts up through all accounts, so that what happens in them has one order. */
  takeTurn: () => number;
  guesses: Guesses;
  registry: KeyRegistry<Account>;
}

/** One account of the service, as the service itself sees it. */
export class Account {
  /** Its first key. */
  readonly apiKey: string;
  readonly credits: Ledger;
  readonly jobs: JobStore;
  readonly keys: Keys = {
    create: () => this.#addKey(this.#newKey()),
    revoke: (key) => this.#settings.registry.revoke(key, this),
  };
  /** The answers to requests that had an idempotency key, by their operation and that key. */
  readonly taken = new Map<string, Reply>();
  /** That of the jobs it accepts from now on. */
  lifecycle: Lifecycle;
  readonly #settings: AccountSettings;
  readonly #counts = { app: 0, job: 0, key: 0 };
  readonly #apps = new Set<string>();
  /** Those of jobs that are not accepted yet. */
  #plans: JobPlan[] = [];

  constructor(settings: AccountSettings) {
    const { apiKey, allowance, lifecycle, now, takeTurn, guesses } = settings;
    this.#settings = settings;
    this.lifecycle = lifecycle;
    this.jobs = new JobStore(now, guesses.slide);
    this.credits = new Ledger(allowance, now, takeTurn, () => this.#refundFailedJobs());
    this.apiKey = this.#addKey(apiKey ?? this.#newKey());
  }

  get id(): string {
    return String(this.#settings.number);
  }

  get appCount(): number {
    return this.#apps.size;
  }

  readonly nextJob = (plan: JobPlan): void => {
    checkPlan(plan);
    this.#plans.push(plainCopy(plan));
  };

  /** Creates an app and charges for it: its id, or undefined where the credits do not suffice. */
  createApp(keyId: string): string | undefined {
    const { now, guesses } = this.#settings;
    if (!this.credits.covers(guesses.appCost)) return undefined;
    if (guesses.appCost > 0) this.credits.charge(guesses.appCost, { time: now(), jobId: undefined, keyId });
    const id = this.#nextId("app");
    this.#apps.add(id);
    return id;
  }

  hasApp(appId: string): boolean {
    return this.#apps.has(appId);
  }

  /**
   * Accepts a job and charges for it, in one step: its id with the credits left, or undefined where they do not suffice.
   */
  accept(set: { appId: string; device: string; count: number; keyId: string }) {
    if (!this.credits.covers(screenshotSetCost)) return undefined;
    const id = this.#nextId("job");
    const plan = this.#plans.shift() ?? { outcome: "succeeded" };
    const lifecycle = plan.lifecycle ?? this.lifecycle;
    const time = this.#settings.now();
    const turn = this.#settings.takeTurn();
    this.jobs.add({ ...set, ...plan, id, turn, lifecycle, acceptedAt: time, polls: 0, lastPollAt: time });
    const remaining = this.credits.charge(screenshotSetCost, { time, jobId: id, keyId: set.keyId });
    return { jobId: id, remaining };
  }

  reset(): void {
    this.jobs.reset();
    this.credits.reset();
    this.#apps.clear();
    this.taken.clear();
    this.#plans = [];
    this.lifecycle = this.#settings.lifecycle;
    Object.assign(this.#counts, { app: 0, job: 0, key: 0 });
    this.#addKey(this.apiKey);
  }

  /** The same steps give the same ids. Further accounts have their number in theirs, so that no id means two things. */
  #nextId(kind: "app" | "job" | "key"): string {
    const { number } = this.#settings;
    const count = ++this.#counts[kind];
    if (kind === "app" && appIdForm !== undefined) {
      const { head, digits } = appIdForm;
      return head + String((number - 1) * 1e6 + count).padStart(digits, "0");
    }
    return `${kind}_${number === 1 ? "" : `${number}_`}${count}`;
  }

  /** One of its own number, unless a test gave just that key to somebody. */
  #newKey(): string {
    const { number, registry } = this.#settings;
    for (let count = this.#counts.key + 1; ; count++) {
      const key = generateKey(number, count);
      if (!registry.has(key)) return key;
    }
  }

  #addKey(key: string): string {
    this.#settings.registry.add(key, { account: this, keyId: this.#nextId("key") });
    return key;
  }

  #refundFailedJobs(): void {
    if (!this.#settings.guesses.refundFailedJobs) return;
    for (const { id: jobId, keyId, acceptedAt, failedAt } of this.jobs.takeFailed()) {
      this.credits.refund(screenshotSetCost, acceptedAt, { time: failedAt, jobId, keyId });
    }
  }
}
