import type { Guesses } from "./guesses.js";
import { type JobPlan, JobPlans } from "./job-plan.js";
import { JobStore, type NewJob } from "./job-store.js";
import { generateKey, type KeyRegistry, type Keys } from "./keys.js";
import { Ledger } from "./ledger.js";
import type { Lifecycle } from "./lifecycle.js";

/** What a screenshot set costs, in credits (section 4.2 of the service's document). */
export const screenshotSetCost = 10;

/** How an account begins. */
export interface AccountSettings {
  /** 1 for the first account. */
  number: number;
  /** Generated if undefined. */
  apiKey: string | undefined;
  allowance: number;
  lifecycle: Lifecycle;
}

/** What the accounts of a mock share. */
interface SharedParts {
  now(): number;
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
    create: () => this.#addKey(generateKey(this.#settings.number, this.#ids.count("key") + 1)),
    revoke: (key) => this.#shared.registry.revoke(key, this),
  };
  readonly #settings: AccountSettings;
  readonly #shared: SharedParts;
  readonly #ids: Ids;
  readonly #plans = new JobPlans();
  readonly #apps = new Set<string>();

  constructor(settings: AccountSettings, shared: SharedParts) {
    const { now, guesses } = shared;
    this.#settings = settings;
    this.#shared = shared;
    this.#ids = new Ids(settings.number);
    this.jobs = new JobStore(now, guesses.slide);
    this.credits = new Ledger(settings.allowance, now, () => this.#refundFailedJobs());
    this.apiKey = this.#addKey(settings.apiKey ?? generateKey(settings.number, 1));
  }

  readonly nextJob = (plan: JobPlan): void => this.#plans.add(plan);

  /** Creates an app and charges for it: its id, or undefined where the credits do not suffice. */
  createApp(keyId: string): string | undefined {
    const { now, guesses } = this.#shared;
    if (!this.credits.covers(guesses.appCost)) return undefined;
    if (guesses.appCost > 0) this.credits.charge({ credits: guesses.appCost, keyId }, now());
    const id = this.#ids.next("app");
    this.#apps.add(id);
    return id;
  }

  hasApp(appId: string): boolean {
    return this.#apps.has(appId);
  }

  /**
   * Accepts a job and charges for it, in one step: its id with the credits left, or undefined where they do not suffice.
   */
  accept({ appId, device, count, keyId }: Pick<NewJob, "appId" | "device" | "count" | "keyId">) {
    if (!this.credits.covers(screenshotSetCost)) return undefined;
    const id = this.#ids.next("job");
    const { outcome, lifecycle = this.#settings.lifecycle, error, slides } = this.#plans.next();
    const acceptedAt = this.#shared.now();
    const remaining = this.credits.charge({ credits: screenshotSetCost, jobId: id, keyId }, acceptedAt);
    this.jobs.accept({ id, appId, device, count, keyId, outcome, lifecycle, error, slides }, acceptedAt);
    return { jobId: id, remaining };
  }

  reset(): void {
    for (const part of [this.jobs, this.#plans, this.credits, this.#ids]) part.reset();
    this.#apps.clear();
    this.#addKey(this.apiKey);
  }

  #addKey(key: string): string {
    this.#shared.registry.add(key, { owner: this, keyId: this.#ids.next("key") });
    return key;
  }

  #refundFailedJobs(): void {
    if (!this.#shared.guesses.refundFailedJobs) return;
    for (const { id: jobId, keyId, acceptedAt, failedAt } of this.jobs.takeFailed()) {
      this.credits.refund({ credits: screenshotSetCost, jobId, keyId }, acceptedAt, failedAt);
    }
  }
}

/** Counts the ids of one account, so that the same steps give the same ids. */
class Ids {
  readonly #prefix: string;
  #counts = { app: 0, job: 0, key: 0 };

  /** Further accounts have their number in their ids, so that no id means two things. */
  constructor(account: number) {
    this.#prefix = account === 1 ? "" : `${account}_`;
  }

  next(kind: "app" | "job" | "key"): string {
    return `${kind}_${this.#prefix}${++this.#counts[kind]}`;
  }

  /** How many ids of a kind there are. */
  count(kind: "app" | "job" | "key"): number {
    return this.#counts[kind];
  }

  reset(): void {
    this.#counts = { app: 0, job: 0, key: 0 };
  }
}
