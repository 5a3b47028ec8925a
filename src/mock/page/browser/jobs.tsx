import { useContext, useEffect, useState } from "preact/hooks";
import type { JobDetail, JobList, JobView, State } from "../schemas.js";
import { Action } from "./action.js";
import { call, readForEffect, readInTurn } from "./api.js";
import { formatDuration, plural, textOf } from "./format.js";
import { eraOf, NowContext } from "./page-context.js";
import { LongText } from "./scrolling.js";
import { remembered, shared } from "./shared.js";
import { Slides } from "./slides.js";

/** The maximum number of jobs in a state, and the number of older jobs that are added at a time. */
const step = 100;

const card = remembered((job: JobView) => <Job job={job} />);

export function Jobs({ state }: { state: State }) {
  const era = eraOf(state);
  const [limit, setLimit] = useState(step);
  const jobs = useJobs(state, limit);
  useEffect(() => setLimit(step), [era]);
  const { jobCount } = state;
  const all = plural(jobCount, "job");
  return (
    <section id="jobs" aria-label="Jobs" tabIndex={-1}>
      <h2>
        Jobs{" "}
        <small data-testid="job-count" class="count">
          {jobs.length < jobCount ? `${jobs.length} of ${all}` : all}
        </small>
      </h2>
      {jobCount === 0 && (
        <p class="empty">
          No jobs yet. Point a client at <code>{state.url}</code> and create a screenshot set.
        </p>
      )}
      {jobs.map((job) => (
        <div key={`${era}/${job.id}`}>{card(job)}</div>
      ))}
      {jobs.length < jobCount && <Action text="Older jobs" run={async () => setLimit(jobs.length + step)} />}
    </section>
  );
}

/** The newest jobs: those of the state or, if older ones are shown too, those read from the mock after each state. */
function useJobs(state: State, limit: number): JobView[] {
  const [older, setOlder] = useState<JobView[]>([]);
  const isLong = limit > step && state.jobCount > step;
  useEffect(() => {
    if (!isLong) return;
    return readForEffect<JobList>(`jobs?limit=${limit}`, ({ jobs }) =>
      setOlder((before) => shared(before, jobs)),
    );
  }, [state, limit, isLong]);
  return isLong && older.length >= state.jobs.length ? older : state.jobs;
}

function Job({ job }: { job: JobView }) {
  const { id, account, appId, device, count, status, polls, endedAt } = job;
  const move = (action: string) => () => call("POST", `jobs/${encodeURIComponent(id)}/${action}`);
  return (
    <article aria-label={`Job ${id}`} class="card job" tabIndex={-1}>
      <h3>
        {id}{" "}
        <span data-testid="status" class={`pill ${status}`}>
          {status}
        </span>
      </h3>
      <p class="faint">
        <span>{device}</span> <span>{plural(count, "slide")}</span> <span>{appId}</span>{" "}
        <span>account {account}</span> <span data-testid="polls">{plural(polls, "poll")}</span>{" "}
        <Age job={job} />
      </p>
      {endedAt === null ? (
        <p class="buttons">
          <Action text="Advance" target={id} run={move("advance")} />
          <Action text="Succeed" target={id} run={move("succeed")} />
          <Action text="Fail" target={id} kind="danger" run={move("fail")} />
        </p>
      ) : (
        <Outcome job={job} />
      )}
    </article>
  );
}

function Age({ job: { acceptedAt, endedAt } }: { job: JobView }) {
  const now = useContext(NowContext);
  return (
    <span data-testid="age" title={endedAt === null ? "since it was accepted" : "from acceptance to end"}>
      {formatDuration((endedAt ?? now) - acceptedAt)}
    </span>
  );
}

function Outcome({ job: { id } }: { job: JobView }) {
  const [detail, setDetail] = useState<Pick<JobDetail, "result" | "error" | "guesses">>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    readInTurn<JobDetail>(`jobs/${encodeURIComponent(id)}`).then(setDetail, ({ message }) =>
      setProblem(message),
    );
  }, [id]);
  if (problem) return <p class="faint">{problem}</p>;
  if (!detail) return null;
  const { result, error, guesses } = detail;
  return (
    <>
      {error !== null && <LongText name="error" text={textOf(error, 2_000)} />}
      {result !== null && <Slides jobId={id} result={result} isGuess={guesses.includes("slide")} />}
    </>
  );
}
