import { Journal } from "../batch/journal.js";
import { startBatch } from "../batch/run-batch.js";
import { accessOf } from "../durable/set-client.js";
import { type CreateScreenshotsParams, ScreenshotSets } from "../index.js";
import { withDefaultCount } from "../request/call.js";
import { plural } from "../text/figures.js";
import { appsAgain, foundUnclear, loadApps, setsOf } from "./batch-apps.js";
import type { Wanted } from "./batch-file.js";
import { type Outcome, outcomeText } from "./outcome-text.js";
import { printableJson, printableLine } from "./output.js";
import { refuseState } from "./run-sets.js";
import type { SessionFlags } from "./session.js";

interface DryRunOptions extends SessionFlags {
  state: string;
  maxCredits: number | undefined;
  again?: string[] | undefined;
}

/** What a batch would do with a set. */
interface Plan {
  key: string;
  /** `order` and `wait` send something; otherwise, the set has this status without a request. */
  does: string;
  text: string;
  /** The app that would be created first. */
  app?: string | undefined;
  /** For programs. */
  more: object;
}

/** Tells what a batch would send and what it would cost. It needs no lock, since it only reads the state. */
export async function dryRun(wanted: Wanted, options: DryRunOptions): Promise<string> {
  const { json, state, maxCredits, again = [] } = options;
  const journal = await Journal.read(state).catch(refuseState);
  const store = {
    load: (key: string) => journal.load(key),
    save: () => false,
    list: () => journal.values(),
    otherJobs: () => journal.otherJobs(),
  };
  const client = keylessClient(process.env.SCREENSHOT_SETS_BASE_URL);
  const apps = await loadApps(wanted, store, accessOf(client).baseUrl);
  const sets = setsOf(wanted, apps);
  const batch = startBatch(client, { sets, store, again, maxCredits });
  await batch.load();

  const { budget } = batch.creates;
  const appsRepeated = appsAgain(wanted, again);
  let ordered = 0;
  // What the state knows comes first, as in the run, so that an order that is repeated takes its part of the budget.
  const isNew = ([key]: (typeof sets)[number]) => Number(batch.standingOf(key) === undefined);
  sets.sort((one, other) => isNew(one) - isNew(other));
  const plans = sets.map(([key, params]): Plan => {
    const known = batch.standingOf(key);
    const isRepeated = again.includes(key) && ["uncertain", "failed"].includes(`${known?.status}`);
    if (known && !isRepeated) return planOf(known, options);
    if (!budget.hasRoomFor(ordered + 1))
      return planOf({ ...(known ?? { key, status: "skipped" }), reason: "budget" }, options);
    const { app } = wanted.sets.get(key) ?? {};
    const stored = app === undefined ? undefined : apps.get(app);
    if (app !== undefined && stored && !stored.app && !appsRepeated.has(app))
      return planOf({ key, status: "skipped", reason: "unclear", error: foundUnclear(app, stored) }, options);
    ordered++;
    return orderOf(key, params, stored?.app ? undefined : app);
  });
  const newApps = new Set(plans.map(({ app }) => app).filter((app) => app !== undefined));
  const total = { sets: ordered, credits: ordered * budget.price, apps: newApps.size };
  if (json) {
    const lines = [...plans.map(({ key, does, more }) => ({ key, does, ...more })), { total }];
    return lines.map((line) => `${printableJson(line, 0)}\n`).join("");
  }
  const lines = [
    ...[...newApps].map((name) => `app ${name}: would be created (${valuesText(wanted.apps.get(name))})`),
    ...plans.map(({ key, text }) => `${key}: ${text}`),
    summaryOf(total),
  ];
  return lines.map((line) => `${printableLine(line)}\n`).join("");
}

/** A client for what only reads the state. Without an address, it stands for any service, whose state then will do. */
function keylessClient(baseUrl: string | undefined): Pick<ScreenshotSets, "screenshots" | "jobs"> {
  const options = { apiKey: "none", dangerouslyAllowHttp: true };
  // Not handed on, so that what is wrong with it is said of the variable.
  if (baseUrl) return new ScreenshotSets(options);
  const { screenshots, jobs } = new ScreenshotSets({ ...options, baseUrl: "http://localhost" });
  return { screenshots, jobs };
}

/** What happens to a set that is not ordered. */
function planOf(outcome: Outcome, flags: SessionFlags): Plan {
  const { key, status, jobId, credits, reason } = outcome;
  const more = { jobId, credits, reason };
  if (status === "waiting") return { key, does: "wait", text: `would be waited for (${jobId})`, more };
  return { key, does: status, text: outcomeText(outcome, flags), more };
}

/** @param app the one that would be created first */
function orderOf(key: string, given: CreateScreenshotsParams, app: string | undefined): Plan {
  const params = withDefaultCount(given);
  const { appId, ...others } = params;
  const text = `would be ordered (${valuesText({ "new app": app, appId, ...others })})`;
  return { key, does: "order", text, app, more: { app, params } };
}

function summaryOf({ sets, credits, apps }: { sets: number; credits: number; apps: number }): string {
  const created =
    apps > 0 ? ` ${plural(apps, "app")} would be created, at a cost that is not documented.` : "";
  return `${plural(sets, "set")} would be ordered for ${credits} credits.${created} Nothing was sent.`;
}

/** The longest text of a parameter, in characters; the file has the whole of it. */
const longestValue = 80;

/** Some parameters, briefly. */
function valuesText(params: object = {}): string {
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => `${name} ${shortened(String(value))}`).join(", ");
}

const shortened = (text: string) => (text.length > longestValue ? `${text.slice(0, longestValue)}…` : text);
