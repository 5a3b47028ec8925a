import type { SetStore } from "../batch/index.js";
import { Journal } from "../batch/journal.js";
import { startBatch } from "../batch/run-batch.js";
import { type CreateScreenshotsParams, ScreenshotSets } from "../index.js";
import { withDefaultCount } from "../request/call.js";
import { setAccess } from "../set-access.js";
import type { Wanted } from "./batch-file.js";
import { loadApp } from "./batch-state.js";
import { type Outcome, outcomeText } from "./outcome-text.js";
import { plural, printableJson, printableLine } from "./output.js";

interface DryRunOptions {
  json?: boolean | undefined;
  state: string;
  maxCredits: number | undefined;
  again?: string[] | undefined;
}

/** What a batch would do with a set: order it, wait for it, or what its outcome is without a request. */
interface Plan {
  key: string;
  does: string;
  /** The app that would be created first. */
  app?: string | undefined;
  text: string;
  /** For programs. */
  more?: object;
}

/** Tells what a batch would send and what it would cost. It needs no lock, since it only reads the state. */
export async function dryRun(wanted: Wanted, options: DryRunOptions): Promise<string> {
  const { json, state, maxCredits = Number.POSITIVE_INFINITY, again = [] } = options;
  const values = await Journal.valuesIn(state);
  const store = { load: (key: string) => values.get(key), save: () => false, list: () => values };
  const address = process.env.SCREENSHOT_SETS_BASE_URL;
  const client = new ScreenshotSets({
    apiKey: "none",
    ...{ baseUrl: address || "http://localhost", dangerouslyAllowHttp: true },
    fetch: () => Promise.reject(new Error("Nothing is sent.")),
  });
  const { screenshots, jobs } = client;
  // Without an address in the environment, a state of any service will do.
  const baseUrl = address ? client[setAccess].baseUrl : undefined;
  const { appIds, sets } = await completed(wanted, store, baseUrl);
  const batch = startBatch(address ? client : { screenshots, jobs }, { sets, store, again, maxCredits });
  await batch.load();

  const { budget } = batch.creates;
  const before = budget.maybeSpent;
  const plans = [...sets].map(([key, params]): Plan => {
    const known = batch.standingOf(key);
    const isEnd = known?.status === "succeeded" || known?.status === "waiting";
    if (known && (isEnd || !again.includes(key))) return planOf(known);
    const { app } = wanted.sets.get(key) ?? {};
    const isUnclear = app !== undefined && appIds.has(app) && appIds.get(app) === undefined;
    if (isUnclear && !again.includes(key)) return skipOf(key, "unclear");
    if (!budget.hasRoom) return skipOf(key, "budget");
    // What is not ordered yet costs what an uncertain set does.
    budget.countUncertain();
    const isNew = app !== undefined && appIds.get(app) === undefined;
    return orderOf(key, params, isNew ? app : undefined);
  });
  const created = new Set(plans.map(({ app }) => app).filter((app) => app !== undefined));
  const sum = { credits: budget.maybeSpent - before, apps: created.size };
  if (json) return jsonOf(plans, sum);
  const newApps = [...created].map(
    (name) => `app ${name}: would be created (${valuesText(wanted.apps.get(name))})`,
  );
  return textOf(newApps, plans, sum);
}

/** @param app the one that would be created first */
function orderOf(key: string, given: CreateScreenshotsParams | undefined, app: string | undefined): Plan {
  const params = withDefaultCount(given);
  const { appId, ...others } = { ...params };
  const text = valuesText({ [app === undefined ? "appId" : "new app"]: app ?? appId, ...others });
  return { key, does: "order", text: `would be ordered (${text})`, app, more: { params } };
}

/** Some parameters, briefly. */
function valuesText(params: object = {}): string {
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => `${name} ${shortened(String(value))}`).join(", ");
}

const shortened = (text: string) => (text.length > longestValue ? `${text.slice(0, longestValue)}…` : text);

/** In characters; the file has the whole of it. */
const longestValue = 80;

/** The ids of the apps that the state knows, undefined where it is unclear, and the sets with words for other ids. */
async function completed({ apps, sets }: Wanted, store: Pick<SetStore, "load">, baseUrl: string | undefined) {
  const appIds = new Map<string, string | undefined>();
  for (const [name, params] of apps) {
    const known = await loadApp(store, name, params, baseUrl);
    if (known) appIds.set(name, known.app?.appId);
  }
  const all = [...sets].map(([key, { app, params }]) => {
    const appId = app === undefined ? params.appId : (appIds.get(app) ?? `the app ${app}`);
    return [key, { ...params, appId } as CreateScreenshotsParams] as const;
  });
  return { appIds, sets: new Map(all) };
}

type Sum = { credits: number; apps: number };

const countOrdered = (plans: Plan[]) => plans.filter(({ does }) => does === "order").length;

function jsonOf(plans: Plan[], sum: Sum): string {
  const lines = plans.map(({ key, does, more }) => ({ key, does, ...more }));
  const total = { sets: countOrdered(plans), ...sum };
  return [...lines, { total }].map((line) => `${printableJson(line, 0)}\n`).join("");
}

function textOf(newApps: string[], plans: Plan[], { credits, apps }: Sum): string {
  const ordered = plural(countOrdered(plans), "set");
  const created =
    apps > 0 ? ` ${plural(apps, "app")} would be created, at a cost that is not documented.` : "";
  const summary = `${ordered} would be ordered for ${credits} credits.${created} Nothing was sent.`;
  const lines = [...newApps, ...plans.map(({ key, text }) => `${key}: ${text}`), summary];
  return lines.map((line) => `${printableLine(line)}\n`).join("");
}

/** What happens to a set that was ordered before. */
function planOf(outcome: Outcome): Plan {
  const { key, status, jobId, credits } = outcome;
  const more = { jobId, credits };
  if (status === "waiting") return { key, does: "wait", text: `would be waited for (${jobId})`, more };
  return { key, does: status, text: outcomeText(outcome), more };
}

function skipOf(key: string, reason: "budget" | "unclear"): Plan {
  return { key, does: "skipped", text: outcomeText({ key, status: "skipped", reason }), more: { reason } };
}
