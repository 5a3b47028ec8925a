import { Budget } from "../batch/budget.js";
import { type BatchStore, runBatch, type SetOutcome, type StoredSet } from "../batch/index.js";
import type { CreateScreenshotsParams } from "../index.js";
import type { Wanted } from "./batch-file.js";
import { loadApp, stateIn } from "./batch-state.js";
import { unsentClient } from "./create-params.js";
import { outcomeText } from "./outcome-text.js";
import { plural, printableJson, printableLine } from "./output.js";

interface DryRunOptions {
  json: boolean | undefined;
  state: string;
  maxCredits: number | undefined;
}

/** Tells what a batch would send and what it would cost. */
export async function dryRun(wanted: Wanted, options: DryRunOptions): Promise<string> {
  const state = stateIn(options.state);
  await state.open?.();
  try {
    return await told(wanted, state, options);
  } finally {
    await state.close?.();
  }
}

async function told(wanted: Wanted, state: BatchStore, { json, maxCredits }: DryRunOptions): Promise<string> {
  const { sets, missing } = await paramsOf(wanted, state);
  const store = { load: (key: string) => state.load(key), save() {} };
  const outcomes = new Map<string, SetOutcome>();
  // A batch that is aborted before it begins sends nothing, and tells what the state knows.
  const signal = AbortSignal.abort();
  for await (const outcome of runBatch(unsentClient(), { sets, store, signal })) {
    outcomes.set(outcome.key, outcome);
  }
  const budget = new Budget(maxCredits ?? Number.POSITIVE_INFINITY);
  for (const key of sets.keys()) {
    const stored = (await state.load(key)) as StoredSet | null | undefined;
    if (stored) budget.count(stored.state);
  }
  const before = budget.cost;
  const plans = [...sets].map(([key, params]) => planOf(outcomes.get(key) as SetOutcome, params, budget));
  if (json) return plans.map((plan) => `${printableJson(plan.value, 0)}\n`).join("");
  const ordered = plans.filter(({ value }) => value.does === "order").length;
  const apps =
    missing > 0 ? ` ${plural(missing, "app")} would be created, at a cost that is not documented.` : "";
  const summary = `${plural(ordered, "set")} would be ordered for ${budget.cost - before} credits.${apps} Nothing was sent.`;
  return [...plans.map(({ text }) => text), summary].map((line) => `${printableLine(line)}\n`).join("");
}

/** What the batch would do with a set, of which the state tells this outcome. */
function planOf(outcome: SetOutcome, params: CreateScreenshotsParams, budget: Budget) {
  const { key, status, jobId, credits } = outcome;
  if (status === "waiting") {
    return { value: { key, does: "wait", jobId, credits }, text: `${key}: would be waited for (${jobId})` };
  }
  if (status !== "skipped") {
    return { value: { key, does: status, jobId, credits }, text: `${key}: ${outcomeText(outcome)}` };
  }
  if (!budget.hasRoom) {
    const reason = "budget";
    return { value: { key, does: status, reason }, text: `${key}: ${outcomeText({ key, status, reason })}` };
  }
  budget.countUntold();
  return { value: { key, does: "order", params }, text: `${key}: would be ordered` };
}

/** The parameters of all sets, with words for the ids of apps that were not created yet. */
async function paramsOf({ apps, sets }: Wanted, state: BatchStore) {
  const ids = new Map<string, string>();
  for (const name of apps.keys()) {
    const app = (await loadApp(state, name))?.app;
    if (app) ids.set(name, app.appId);
  }
  const all = [...sets].map(([key, { app, params }]) => {
    const appId = app === undefined ? params.appId : (ids.get(app) ?? `the app ${app}`);
    return [key, { ...params, appId } as CreateScreenshotsParams] as const;
  });
  return { sets: new Map(all), missing: apps.size - ids.size };
}
