import type { Guesses } from "./guesses.js";
import { createIds } from "./ids.js";
import { createJobPlans, type JobPlan } from "./job-plan.js";
import { createJobStore, type JobStore } from "./job-store.js";
import { createJobs, type Jobs } from "./jobs.js";
import { generateKey, type KeyRegistry, type Keys } from "./keys.js";
import { type Credits, createLedger } from "./ledger.js";
import type { Lifecycle } from "./lifecycle.js";

/** One account of the service, as the service itself sees it. */
export interface Account {
  /** Its first key. */
  apiKey: string;
  credits: Credits;
  keys: Keys;
  jobs: Jobs;
  nextJob(plan: JobPlan): void;
  /** Creates an app and charges for it: its id, or undefined where the credits do not suffice. */
  createApp(keyId: string): string | undefined;
  hasApp(appId: string): boolean;
  /** Accepts a job and charges for it, in one step; undefined where the credits do not suffice. */
  accept(set: ScreenshotSet): Acceptance | undefined;
  look: JobStore["look"];
  /** Whether the credits left include refunds. */
  hasRefunds(): boolean;
  reset(): void;
}

interface ScreenshotSet {
  appId: string;
  device: string;
  count: number;
  keyId: string;
}

interface Acceptance {
  jobId: string;
  /** Credits left after the charge. */
  remaining: number;
}

export interface AccountSettings {
  /** 1 for the first account. */
  number: number;
  /** Generated if undefined. */
  apiKey: string | undefined;
  allowance: number;
  lifecycle: Lifecycle;
}

/** What the accounts of a mock share. */
interface Surroundings {
  now(): number;
  guesses: Guesses;
  registry: KeyRegistry<Account>;
}

/** What a screenshot set costs, in credits (section 4.2 of the service's document). */
export const screenshotSetCost = 10;

export function createAccount(settings: AccountSettings, { now, guesses, registry }: Surroundings): Account {
  const { number, allowance } = settings;
  const apiKey = settings.apiKey ?? generateKey(number, 1);
  const store = createJobStore(now, guesses.slide);
  const ledger = createLedger(allowance, now, refundFailedJobs);
  const ids = createIds(number);
  const plans = createJobPlans();
  const apps = new Set<string>();

  function refundFailedJobs() {
    if (!guesses.refundFailedJobs) return;
    for (const { id: jobId, keyId, acceptedAt, failedAt } of store.takeFailed()) {
      ledger.refund({ credits: screenshotSetCost, jobId, keyId }, acceptedAt, failedAt);
    }
  }

  function addKey(key: string): string {
    registry.add(key, { owner: account, keyId: ids.next("key") });
    return key;
  }

  function accept({ appId, device, count, keyId }: ScreenshotSet): Acceptance | undefined {
    if (!ledger.covers(screenshotSetCost)) return undefined;
    const id = ids.next("job");
    const { outcome, lifecycle = settings.lifecycle, error, slides } = plans.next();
    const acceptedAt = now();
    const remaining = ledger.charge({ credits: screenshotSetCost, jobId: id, keyId }, acceptedAt);
    store.accept({ id, appId, device, count, keyId, outcome, lifecycle, error, slides }, acceptedAt);
    return { jobId: id, remaining };
  }

  function createApp(keyId: string): string | undefined {
    if (!ledger.covers(guesses.appCost)) return undefined;
    if (guesses.appCost > 0) ledger.charge({ credits: guesses.appCost, keyId }, now());
    const id = ids.next("app");
    apps.add(id);
    return id;
  }

  const account: Account = {
    apiKey,
    credits: ledger.credits,
    keys: {
      create: () => addKey(generateKey(number, ids.count("key") + 1)),
      revoke: (key) => registry.revoke(key, account),
    },
    jobs: createJobs({ ...store, now }),
    nextJob: plans.add,
    createApp,
    hasApp: (appId) => apps.has(appId),
    accept,
    look: store.look,
    hasRefunds: ledger.hasRefunds,
    reset() {
      for (const part of [store, plans, apps]) part.clear();
      ledger.reset();
      ids.reset();
      addKey(apiKey);
    },
  };
  addKey(apiKey);
  return account;
}
