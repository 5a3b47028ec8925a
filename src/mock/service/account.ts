import type { Lifecycle } from "../lifecycle.js";
import type { Guesses } from "./guesses.js";
import { checkedPlan, type JobPlan } from "./job-plan.js";
import { JobStore } from "./job-store.js";
import { generateKey, type KeyRegistry, type Keys } from "./keys.js";
import { Ledger } from "./ledger.js";
import type { Reply } from "./reply.js";

/** The initial settings of an account, and what it shares with the other accounts of its mock. */
interface AccountSettings {
  /** 1 for the first account. */
  number: number;
  /** Generated if undefined. */
  apiKey: string | undefined;
  allowance: number;
  lifecycle: Lifecycle;
  /** Returns what is put before the ids of apps and jobs, until the next reset. */
  drawIdPrefix: () => string;
  now: () => number;
  /** Counts up across all accounts, to put their jobs and ledger rows in one order. */
  nextSequence: () => number;
  guesses: Guesses;
  registry: KeyRegistry<Account>;
}

/** One account of the service, with its internal state. */
export class Account {
  readonly id: string;
  /** The account's first key. */
  readonly apiKey: string;
  readonly credits: Ledger;
  readonly jobs: JobStore;
  readonly keys: Keys = {
    create: () => this.createKey().key,
    revoke: (key) => this.#settings.registry.revoke(key, this),
  };
  /** The ids of the account's apps. */
  readonly apps = new Set<string>();
  /** The answers to successful requests with an idempotency key, by operation and key. */
  readonly idempotentReplies = new Map<string, Reply>();
  /** The lifecycle of jobs that are accepted from now on. */
  lifecycle: Lifecycle;
  readonly #settings: AccountSettings;
  readonly #counts = { app: 0, job: 0, key: 0 };
  #idPrefix: string;
  /** Plans for jobs that are not accepted yet. */
  #plans: JobPlan[] = [];

  constructor(settings: AccountSettings) {
    const { number, apiKey, allowance, lifecycle, now, nextSequence, guesses } = settings;
    this.#settings = settings;
    this.id = String(number);
    this.lifecycle = lifecycle;
    this.#idPrefix = settings.drawIdPrefix();
    this.jobs = new JobStore(now, guesses);
    this.credits = new Ledger(allowance, now, nextSequence, () => this.#refundFailedJobs());
    this.apiKey = apiKey ?? this.#newKey();
    this.#addKey(this.apiKey);
  }

  readonly nextJob = (plan: JobPlan): void => {
    this.#plans.push(checkedPlan(plan));
  };

  /** Creates a generated key. */
  createKey(): { id: string; key: string } {
    const key = this.#newKey();
    return { id: this.#addKey(key), key };
  }

  /** Creates an app, charges for it and returns its id; undefined if there are too few credits. */
  createApp(keyId: string): string | undefined {
    const { now, guesses } = this.#settings;
    if (!this.credits.covers(guesses.appCost)) return undefined;
    if (guesses.appCost > 0) this.credits.charge(guesses.appCost, { time: now(), jobId: undefined, keyId });
    const id = this.#nextId("app");
    this.apps.add(id);
    return id;
  }

  /**
   * Accepts a job and charges for it in one step. Returns its id and the credits left; undefined if there are too few.
   */
  accept(set: { appId: string; device: string; count: number; keyId: string }) {
    const { setCost, progress: recorded } = this.#settings.guesses;
    if (!this.credits.covers(setCost)) return undefined;
    const id = this.#nextId("job");
    const plan = this.#plans.shift() ?? { outcome: recorded.outcome };
    const lifecycle = plan.lifecycle ?? this.lifecycle;
    const time = this.#settings.now();
    const sequence = this.#settings.nextSequence();
    const start = { acceptedAt: time, polls: 0, lastPollAt: time };
    this.jobs.add({ ...set, ...plan, id, sequence, lifecycle, recorded, ...start });
    const remaining = this.credits.charge(setCost, { time, jobId: id, keyId: set.keyId });
    return { jobId: id, remaining };
  }

  /** Makes the account as it began, ids and keys included. The clock is not the account's. */
  reset(): void {
    this.#settings.registry.forget(this);
    this.jobs.reset();
    this.credits.reset();
    this.apps.clear();
    this.idempotentReplies.clear();
    this.#plans = [];
    this.lifecycle = this.#settings.lifecycle;
    this.#idPrefix = this.#settings.drawIdPrefix();
    Object.assign(this.#counts, { app: 0, job: 0, key: 0 });
    this.#addKey(this.apiKey);
  }

  /** Ids count up. Those of later accounts contain the account's number, which makes them unique. */
  #nextId(kind: "app" | "job" | "key"): string {
    const { number } = this.#settings;
    const count = ++this.#counts[kind];
    return `${kind === "key" ? "" : this.#idPrefix}${kind}_${number === 1 ? "" : `${number}_`}${count}`;
  }

  /** The account's next generated key, skipping those that a test has already given to an account. */
  #newKey(): string {
    const { number, registry } = this.#settings;
    for (let count = this.#counts.key + 1; ; count++) {
      const key = generateKey(number, count);
      if (!registry.has(key)) return key;
    }
  }

  /** Adds a key and returns its id. */
  #addKey(key: string): string {
    const keyId = this.#nextId("key");
    this.#settings.registry.add(key, { account: this, keyId });
    return keyId;
  }

  #refundFailedJobs(): void {
    const { refundFailedJobs, setCost } = this.#settings.guesses;
    if (!refundFailedJobs) return;
    for (const { id: jobId, keyId, acceptedAt, failedAt } of this.jobs.takeFailed()) {
      this.credits.refund(setCost, acceptedAt, { time: failedAt, jobId, keyId });
    }
  }
}
