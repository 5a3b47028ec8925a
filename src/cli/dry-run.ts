import { runBatch, type SetOutcome } from "../batch/index.js";
import type { CreateScreenshotsParams, ScreenshotSets } from "../index.js";
import { appPrefix, type Wanted } from "./batch-file.js";
import { outcomeText } from "./batch-report.js";
import { type State, stateIn, WatchedState } from "./batch-state.js";
import { plural, printableJson, printableLine } from "./output.js";

interface DryRunOptions {
  json: boolean | undefined;
  state: string;
  maxCredits: number | undefined;
}

/** Tells what a batch would send and what it would cost, by running it on a client that sends nothing. */
export async function dryRun(wanted: Wanted, options: DryRunOptions): Promise<string> {
  const state = stateIn(options.state);
  await state.open();
  try {
    return await told(wanted, state, options);
  } finally {
    await state.close();
  }
}

async function told(wanted: Wanted, state: State, { json, maxCredits }: DryRunOptions): Promise<string> {
  const { sets, missing } = await paramsOf(wanted, state);
  const known = new Map<string, unknown>();
  for (const key of sets.keys()) known.set(key, await state.load(key));
  // What the batch would store is kept in memory.
  const memory = stateIn(undefined);
  const load = async (key: string) => (await memory.load(key)) ?? known.get(key);
  const watched = new WatchedState({ ...memory, load }, () => {});
  for (const key of sets.keys()) await watched.load(key);
  const before = watched.spent;

  const outcomes = new Map<string, SetOutcome>();
  const concurrency = Math.max(sets.size, 1);
  for await (const outcome of runBatch(sentNowhere, { sets, store: watched, maxCredits, concurrency })) {
    outcomes.set(outcome.key, outcome);
  }
  const plans = [...sets].map(([key, params]) =>
    planOf(outcomes.get(key) as SetOutcome, !known.get(key), params),
  );
  if (json) return plans.map((plan) => `${printableJson(plan.value, 0)}\n`).join("");
  const ordered = plans.filter(({ value }) => value.does === "order").length;
  const apps =
    missing > 0 ? ` ${plural(missing, "app")} would be created, at a cost that is not documented.` : "";
  const summary = `${plural(ordered, "set")} would be ordered for ${watched.spent - before} credits.${apps} Nothing was sent.`;
  return [...plans.map(({ text }) => text), summary].map((line) => `${printableLine(line)}\n`).join("");
}

/** What the batch would do with a set. */
function planOf(outcome: SetOutcome, isNew: boolean, params: CreateScreenshotsParams) {
  const { key, status, jobId, credits, reason } = outcome;
  const isUnended = status === "succeeded" && "isDry" in outcome.job;
  if (status === "succeeded" && isNew) {
    return { value: { key, does: "order", params }, text: `${key}: would be ordered` };
  }
  if (isUnended) {
    return { value: { key, does: "wait", jobId, credits }, text: `${key}: would be waited for (${jobId})` };
  }
  return { value: { key, does: status, jobId, credits, reason }, text: `${key}: ${outcomeText(outcome)}` };
}

/** The parameters of all sets, with words for the ids of apps that were not created yet. */
async function paramsOf({ apps, sets }: Wanted, state: State) {
  const ids = new Map<string, unknown>();
  for (const name of apps.keys()) {
    const stored = (await state.load(appPrefix + name)) as { app?: { appId: string } } | null | undefined;
    if (stored?.app) ids.set(name, stored.app.appId);
  }
  const all = [...sets].map(([key, { app, params }]) => {
    const appId = app === undefined ? params.appId : (ids.get(app) ?? `the app ${app}`);
    return [key, { ...params, appId } as CreateScreenshotsParams] as const;
  });
  return { sets: new Map(all), missing: apps.size - ids.size };
}

/** Accepts every set at the last price, and finds every job ended. */
const sentNowhere = {
  screenshots: { create: async () => ({ jobId: "none" }) },
  jobs: { get: async (id: string) => ({ id, status: "succeeded", result: {}, error: null, isDry: true }) },
} as unknown as Pick<ScreenshotSets, "screenshots" | "jobs">;
