import { useContext, useState } from "preact/hooks";
import { messageIn } from "../../../errors/words.js";
import { defaultCount, devices } from "../../../generated/values.js";
import { duration, plural } from "../../../text/figures.js";
import { appName } from "../../app-name.js";
import type { AccountView, JobDetail, JobList, JobView, LedgerView, State } from "../schemas.js";
import { Action, ActionForm, Place } from "./actions.js";
import { call, useRead } from "./api.js";
import { NowContext } from "./clock.js";
import { Choice, Field, LongText, Unfolder, useForm } from "./elements.js";
import { cut, formatTime, typedNumber } from "./format.js";
import { Slides } from "./slides.js";

/** The maximum number of jobs in a state, and the number of older jobs that are added at a time. */
const step = 100;

export function Jobs({ state, era }: { state: State; era: string }) {
  const [limit, setLimit] = useState(step);
  const { jobCount } = state;
  const isLong = limit > step && jobCount > step;
  // Jobs that are too old for a state may have moved on whenever one comes.
  const older = useRead<JobList>(isLong ? `jobs?limit=${limit}` : undefined, state).answer;
  const jobs = (isLong && older?.jobs) || state.jobs;
  const all = plural(jobCount, "job");
  const costs = costsIn(state.ledger);

  return (
    <section id="jobs" aria-label="Jobs" tabIndex={-1}>
      <h2>
        Jobs{" "}
        <small data-testid="job-count" class="count">
          {jobs.length < jobCount ? `${jobs.length} of ${all}` : all}
        </small>
      </h2>
      <PlanSet accounts={state.accounts} />
      {jobCount === 0 && (
        <p class="empty">
          No jobs yet. Plan a set here, or point a client at <code>{state.url}</code>
        </p>
      )}
      <div class="jobs">
        {jobs.map((job) => (
          <Job key={`${era}/${job.id}`} job={job} cost={costs.get(job.id)} />
        ))}
        {jobs.length < jobCount && (
          <Action text="Older jobs" run={async () => setLimit(jobs.length + step)} />
        )}
      </div>
    </section>
  );
}

const labels = { iosUrl: "App Store URL", count: "Number of slides" };

const blank = {
  listing: "https://apps.apple.com/us/app/example/id1234567890",
  device: (devices as readonly string[])[0] ?? "",
  count: String(defaultCount),
  account: "",
};

/** Creates an app and a set as a client would, for people who have none at hand. */
function PlanSet({ accounts }: { accounts: readonly AccountView[] }) {
  const { form, bound } = useForm(blank);
  const ids = accounts.map(({ id }) => id);
  // The chosen account may be gone after a reset.
  const account = ids.includes(form.account) ? form.account : ids[0];
  const { listing, device, count } = form;
  const run = () =>
    call("POST", `accounts/${account}/sets`, { iosUrl: listing, device, count: typedNumber(count) });
  return (
    <ActionForm class="filters plan" run={run} subject="Plan set" labels={labels} aria-label="Plan a set">
      <Field name={labels.iosUrl} {...bound("listing")} />
      <Choice name="Device" values={devices} {...bound("device")} />
      <Field name={labels.count} {...bound("count")} />
      {ids.length > 1 && (
        <Choice name="For account" values={ids} {...bound("account")} value={account ?? ""} />
      )}
      <button type="submit">Plan set</button>
    </ActionForm>
  );
}

/** What jobs cost, by their ids. The rows of a state do not reach as far back as all jobs. */
function costsIn(ledger: readonly LedgerView[]): Map<string, string> {
  const costs = new Map<string, string>();
  for (const { jobId, amount } of ledger) {
    // The newest row comes first, so a refund comes before its charge.
    if (jobId === null || costs.has(jobId)) continue;
    costs.set(jobId, amount > 0 ? "refunded" : plural(-amount, "credit"));
  }
  return costs;
}

function Job({ job, cost }: { job: JobView; cost: string | undefined }) {
  const { id, account, appId, device, count, status, polls, endedAt } = job;
  const move = (action: string) => () => call("POST", `jobs/${encodeURIComponent(id)}/${action}`);
  return (
    <article aria-label={`Job ${id}`} class="job" tabIndex={-1}>
      <Place>
        <h3>{id}</h3>
        <span data-testid="status" class={`pill ${status}`}>
          {status}
        </span>
        <p class="facts faint">
          <span>{appName(appId)}</span>
          <span>{device}</span>
          <span>{plural(count, "slide")}</span>
          <span>account {account}</span>
          <span data-testid="polls">{plural(polls, "poll")}</span>
          <Age job={job} />
          <span>{cost}</span>
        </p>
        {endedAt === null ? (
          <div class="buttons">
            <Action text="Advance" target={id} run={move("advance")} />
            <Action text="Succeed" target={id} run={move("succeed")} />
            <Action text="Fail" target={id} kind="danger" run={move("fail")} />
          </div>
        ) : (
          <End job={job} />
        )}
      </Place>
    </article>
  );
}

/** How long a job took, or has been going on. */
function Age({ job: { acceptedAt, endedAt } }: { job: JobView }) {
  const now = useContext(NowContext);
  return (
    <span title={`Accepted ${formatTime(acceptedAt)} UTC`}>
      <span data-testid="age">{duration((endedAt ?? now) - acceptedAt)}</span>
      {endedAt === null ? " so far" : " in all"}
    </span>
  );
}

/** How a job ended: its error at once, and its slides or all of its error once they are unfolded. */
function End({ job: { id, status, polls, endedAt } }: { job: JobView }) {
  const [isOpen, setOpen] = useState(false);
  // A recorded job may have ended under another name.
  const isRead = isOpen || status !== "succeeded";
  const path = isRead ? `jobs/${encodeURIComponent(id)}` : undefined;
  const { answer, problem } = useRead<JobDetail>(path, `${polls}/${endedAt}`);
  const { result = null, error = null, guesses = [], recorded = [] } = answer ?? {};
  const source = guesses.includes("slide") ? "guess" : recorded.includes("slide") ? "recorded" : undefined;
  const isFailed = status === "failed" || error !== null;
  const what = isFailed ? "Error" : "Slides";
  return (
    <>
      {answer && isFailed && !isOpen && (
        <span data-testid="error" class="error">
          {reasonOf(error, " ")}
        </span>
      )}
      <Unfolder text={what} label={`${what} of ${id}`} isOpen={isOpen} setOpen={setOpen} />
      {isOpen && (
        <div class="unfolded">
          {answer && isFailed && <LongText name="error" text={reasonOf(error, "\n\n", 2)} />}
          {answer && result === null && <p class="faint">There are no slides.</p>}
          {result !== null && <Slides jobId={id} result={result} source={source} />}
          {problem && <p class="faint">{problem}</p>}
        </div>
      )}
    </>
  );
}

/** Why a job failed: the message of its error, then the error. */
function reasonOf(error: unknown, gap: string, indent?: number): string {
  const message = messageIn(error) || "No reason given";
  const whole = typeof error === "string" ? error : JSON.stringify(error ?? {}, null, indent);
  return ["", "{}", message].includes(whole) ? message : cut(message + gap + whole, 2_000);
}
