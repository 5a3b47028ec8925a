import { ScreenshotSets, ScreenshotSetsError } from "screenshot-sets";
import type { SetState } from "screenshot-sets/durable";
import { createMock, type Fault, type Mock } from "screenshot-sets/mock";

/**
 * What is found, what the create or the look gives, and what `save` says; and what follows in `stepSet`, in a batch of this
 * set and another one, and in the queue.
 *
 * Of several answers all take the first, and `stepSet` takes the others, too. Where `save` says nothing, it stores; "lost"
 * is stored, and rejects all the same; "broken" rejects from then on. What was not stored has a `?`, what was rejected a
 * `!`. A batch goes on to its end, on a service that is well again; its other set is planned, unless "both" end alike or
 * the batch "ends" and rejects. A dash leaves a row out.
 */
const list = `
found          | answer                      | save says          | sends and saves           | a step                      | a batch                     | the queue         | charged
---------------|-----------------------------|--------------------|---------------------------|-----------------------------|-----------------------------|-------------------|--------
new            | accepted                    |                    | sending, POST, accepted   | waits, job_1                | succeeded, job_1            | delays            | yes
new            | no credits / 500 with a job |                    | sending, POST, accepted   | waits, job_1                | succeeded, job_1            | delays            | yes
new            | 422 / 400 / 404 / 410 / 413 |                    | sending, POST, new        | failed no                   | failed no                   | throws no         | no
new            | bad parameters              |                    |                           | failed no                   | failed no                   | throws no         | no
new            | 429                         |                    | sending, POST, new        | waits 5 s: error            | succeeded, job_1            | stops             | no
new            | 429, asks for 90 s          |                    | sending, POST, new        | waits 90 s: error           | succeeded, job_1            | stops             | no
new            | no connection               |                    | sending, POST, new        | waits 5 s: error            | succeeded, job_1            | delays            | no
new            | no key                      |                    |                           | waits 5 s: error            | -                           | delays            | no
new            | a key that fails            |                    |                           | rejects no                  | skipped aborted; ends       | throws no         | no
new            | 403 / 407 / 409 / 418       |                    | sending, POST, new        | waits 600 s: error          | failed no                   | throws no         | no
new            | 403, asks for 3600 s        |                    | sending, POST, new        | waits 3600 s: error         | failed no                   | throws no         | no
new            | no TLS                      |                    | sending, POST, new        | waits 600 s: error          | failed no                   | throws no         | no
new            | 401                         |                    | sending, POST, new        | waits 600 s: error          | failed no; ends             | throws no         | no
new            | 402                         |                    | sending, POST, new        | waits 600 s: error          | skipped credits; both       | throws no         | no
new            | reset / 408 / 503 / 307     |                    | sending, POST, uncertain  | uncertain                   | uncertain                   | ends maybe        | maybe
new            | malformed / an id of no job |                    | sending, POST, uncertain  | uncertain                   | uncertain                   | ends maybe        | maybe

new            | accepted                    | sending: false     | sending?                  | waits 5 s                   | succeeded, job_1            | throws            | no
new            | accepted                    | sending: rejects   | sending!, new?            | rejects                     | skipped aborted; ends       | throws            | no
new            | accepted                    | sending: broken    | sending!, new!            | rejects                     | skipped aborted; ends       | throws            | no
new            | accepted                    | sending: lost      | sending!, new             | rejects                     | skipped aborted; ends       | throws            | no
new            | accepted                    | accepted: false    | sending, POST, accepted?  | rejects yes, job_1; logs    | waiting, job_1: error; ends | ends yes, job_1   | yes
new            | accepted                    | accepted: rejects  | sending, POST, accepted!  | rejects yes, job_1; logs    | waiting, job_1: error; ends | ends yes, job_1   | yes
new            | accepted                    | accepted: lost     | sending, POST, accepted!  | rejects yes, job_1; logs    | waiting, job_1: error; ends | delays            | yes
new            | 422                         | new: false         | sending, POST, new?       | failed no                   | failed no                   | throws no         | no
new            | 422                         | new: rejects       | sending, POST, new!       | rejects no                  | failed no; ends             | ends no           | no
new            | 403                         | new: false         | sending, POST, new?       | waits 600 s: error          | failed no                   | throws no         | no
new            | reset                       | uncertain: false   | sending, POST, uncertain? | uncertain                   | uncertain                   | ends maybe        | maybe
new            | reset                       | uncertain: rejects | sending, POST, uncertain! | uncertain; warns            | uncertain                   | ends maybe        | maybe

accepted       | unfinished                  |                    | GET, accepted             | waits, job_1                | waiting, job_1: overdue     | delays            | yes
accepted       | unfinished, asks for 40 s   |                    | GET, accepted             | waits 40 s, job_1           | waiting, job_1: overdue     | delays            | yes
accepted       | succeeded                   |                    | GET, ended                | succeeded, job_1            | succeeded, job_1            | returns job_1     | yes
accepted       | failed                      |                    | GET, ended                | failed yes, job_1           | failed yes, job_1           | ends yes, job_1   | yes
accepted       | reset / 408 / 404           |                    | GET, accepted             | waits, job_1: error         | succeeded, job_1            | delays            | yes
accepted       | 429                         |                    | GET, accepted             | waits, job_1: error         | succeeded, job_1            | stops             | yes
accepted       | 503, asks for 90 s          |                    | GET, accepted             | waits 90 s, job_1: error    | succeeded, job_1            | delays            | yes
accepted       | 403 / 418 / another job     |                    | GET, accepted             | waits 600 s, job_1: error   | waiting, job_1: error       | throws yes, job_1 | yes
accepted       | 403, asks for 3600 s        |                    | GET, accepted             | waits 3600 s, job_1: error  | waiting, job_1: error       | throws yes, job_1 | yes
accepted       | 401                         |                    | GET, accepted             | waits 600 s, job_1: error   | waiting, job_1: error; ends | throws yes, job_1 | yes
accepted long  | 404                         |                    | GET, accepted             | waits 600 s, job_1: error   | waiting, job_1: error       | throws yes, job_1 | yes
overdue        | unfinished / reset          |                    | GET, accepted             | waits 600 s, job_1: overdue | waiting, job_1: overdue     | ends yes, job_1   | yes
overdue        | succeeded                   |                    | GET, ended                | succeeded, job_1            | succeeded, job_1            | returns job_1     | yes

accepted       | unfinished                  | accepted: false    | GET, accepted?            | waits, job_1                | waiting, job_1: overdue     | delays            | yes
accepted       | unfinished                  | accepted: rejects  | GET, accepted!            | rejects                     | waiting, job_1: overdue     | throws            | yes
accepted       | succeeded                   | ended: false       | GET, ended?               | succeeded, job_1            | succeeded, job_1            | returns job_1     | yes
accepted       | succeeded                   | ended: rejects     | GET, ended!               | succeeded, job_1; warns     | succeeded, job_1            | returns job_1     | yes
accepted       | failed                      | ended: rejects     | GET, ended!               | failed yes, job_1; warns    | failed yes, job_1           | ends yes, job_1   | yes

sending        |                             |                    |                           | waits 5 s                   | uncertain                   | delays            | maybe
sending long   |                             |                    |                           | uncertain                   | uncertain                   | ends maybe        | maybe
sending, when? |                             |                    |                           | uncertain                   | uncertain                   | ends maybe        | maybe
uncertain      |                             |                    |                           | uncertain                   | uncertain                   | ends maybe        | maybe
planned        |                             |                    |                           | succeeded, job_1            | succeeded, job_1            | returns job_1     | yes
failed         |                             |                    |                           | failed yes, job_1           | failed yes, job_1           | ends yes, job_1   | yes
version 1      |                             |                    |                           | rejects no                  | refused                     | throws no         | -
another step   |                             |                    |                           | rejects no                  | refused                     | throws no         | -
`;

const columns = ["found", "answer", "save", "does", "step", "batch", "queue", "charged"] as const;

/** A row of the list, with one of its answers. */
export type Row = Record<(typeof columns)[number] | "title", string> & { isFirst: boolean };

/** All rows, each answer by itself. */
export const rows: Row[] = list
  .split("\n")
  .filter((line) => line.includes("|") && !/^found|^-/.test(line))
  .flatMap((line) => {
    const cells = line.split("|").map((cell) => cell.trim());
    const row = Object.fromEntries(columns.map((column, index) => [column, cells[index]])) as unknown as Row;
    return row.answer.split(" / ").map((answer, index) => {
      const title = [row.found, answer, row.save].filter(Boolean).join(" + ");
      return { ...row, answer, title, isFirst: index === 0 };
    });
  });

/** The rows of a batch or the queue, with what follows there. */
export const rowsOf = (column: "batch" | "queue") => rows.filter((row) => row.isFirst && row[column] !== "-");

/** What a test may use of a row: a service that answers so, and the state that is found. */
export interface Situation {
  mock: Mock;
  /** A client whose first request is answered as the row says. */
  client: ScreenshotSets;
  params: { appId: string; device: "iphone-69"; count: number };
  state: SetState | undefined;
  /** Requests and states, in the order in which they were sent and stored. */
  does: string[];
  /** What was logged for people to look into. */
  logged: string[];
  /** Stores a state, as the row says. */
  saves(next: SetState | undefined, store: () => unknown): Promise<unknown>;
}

export const full = new Error("disk full");

const jobOf = (more: object) => ({ id: "job_1", status: "queued", result: null, error: null, ...more });

const answers: Record<string, Fault> = {
  "no credits": { status: 201, body: { jobId: "job_1" } },
  "500 with a job": { status: 500, body: { jobId: "job_1" } },
  "an id of no job": { status: 201, body: { jobId: ".." } },
  "another job": { status: 200, body: jobOf({ id: "job_2" }) },
  unfinished: { status: 200, body: jobOf({}) },
  malformed: "malformed",
  reset: "reset",
};

/** Faults of a request that the service took all the same. */
const isTaken = (answer: string) => /^(no credits|500|reset|408|503|307|malformed|an id)/.test(answer);

const failures: Record<string, string> = { "no connection": "ECONNREFUSED", "no TLS": "CERT_HAS_EXPIRED" };

const keys: Record<string, () => Promise<string>> = {
  "no key": () => new Promise(() => {}),
  "a key that fails": () => Promise.reject(new Error("no vault")),
};

export async function situationOf(row: Row): Promise<Situation> {
  const { found, answer } = row;
  const mock = createMock({ lifecycle: "instant", allowance: 1_000 });
  const setUp = new ScreenshotSets(mock.clientOptions);
  const { appId } = await setUp.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
  const params = { appId, device: "iphone-69", count: answer === "bad parameters" ? 11 : 3 } as const;
  const outcome = answer === "failed" || found === "failed" ? "failed" : "succeeded";
  mock.nextJob({ outcome, lifecycle: answer.startsWith("unfinished") ? "manual" : "instant" });
  if (/accepted|overdue|planned|failed/.test(found)) await setUp.screenshots.create(params);
  const state = await stateOf(found, setUp);
  const [does, logged]: [string[], string[]] = [[], []];
  const client = clientOf(mock, row, does, logged);
  return { mock, client, params, state, does, logged, saves: saver(row, does) };
}

/** A client whose first request is answered as a row says. */
function clientOf(mock: Mock, { found, answer }: Row, does: string[], logged: string[]): ScreenshotSets {
  const [kind = "", asked] = answer.split(/, asks for | s$/);
  const fault = answers[kind] ?? (/^\d/.test(kind) ? { status: Number(kind) } : undefined);
  if (fault) {
    const armed =
      typeof fault === "string" || asked === undefined ? fault : { ...fault, retryAfter: Number(asked) };
    const operation = found === "new" ? "createScreenshots" : "getJob";
    mock.fault(armed as Fault, { operation, when: isTaken(kind) ? "after" : "before" });
  }
  let code = failures[kind];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    does.push(String(init?.method));
    const cause = code && Object.assign(new Error("down"), { code });
    code = undefined;
    if (cause) throw new TypeError("fetch failed", { cause });
    return mock.fetch(url, init);
  };
  const log = (word: string) => (message: string) =>
    void (/(could|may) not be stored/.test(message) && logged.push(word));
  const logger = { debug() {}, info() {}, warn: log("warns"), error: log("logs") };
  const apiKey = keys[kind] ?? mock.clientOptions.apiKey;
  return new ScreenshotSets({ ...mock.clientOptions, apiKey, fetch, logger });
}

/** What a store does that says so: whether it stores and rejects, and the step of the next save that it does so at. */
const ways: Record<string, { stores: boolean; rejects: boolean; next(when: string): string }> = {
  false: { stores: false, rejects: false, next: () => "" },
  lost: { stores: true, rejects: true, next: () => "" },
  rejects: { stores: false, rejects: true, next: (when) => when },
  broken: { stores: false, rejects: true, next: () => "any" },
};

function saver({ save }: Row, does: string[]): Situation["saves"] {
  let [when = "", says = ""] = save.split(": ");
  return async (next, store) => {
    const step = next?.step ?? "new";
    const way = [step, "any"].includes(when) ? ways[says] : undefined;
    when = way?.next(when) ?? when;
    const stored = (way?.stores ?? true) && (await store());
    const mark = stored === false ? "?" : "";
    does.push(step + (way?.rejects ? "!" : mark));
    if (way?.rejects) throw full;
    return stored;
  };
}

/** A state as a step stored it. */
async function stateOf(found: string, client: ScreenshotSets): Promise<SetState | undefined> {
  const [now, dayMs] = [Date.now(), 86_400_000];
  const paid = { version: 2, jobId: "job_1", credits: { cost: 10, remaining: 90 }, at: now };
  const accepted = { ...paid, step: "accepted", polls: 0, waitedMs: 200 };
  const sending = { version: 2, step: "sending", at: now, mark: "a mark" };
  const isEnded = found === "planned" || found === "failed";
  const states: Record<string, object> = {
    accepted,
    "accepted long": { ...accepted, at: now - 60_000 },
    overdue: { ...accepted, at: now - dayMs, waitedMs: dayMs },
    sending,
    "sending long": { ...sending, at: now - 600_000 },
    "sending, when?": { ...sending, at: "noon" },
    uncertain: { version: 2, step: "uncertain", at: now, cause: { name: "ServerError", message: "down" } },
    ...(isEnded && { [found]: { ...paid, step: "ended", job: await client.jobs.get("job_1") } }),
    "version 1": { ...accepted, version: 1 },
    "another step": { ...accepted, step: "paid" },
  };
  return states[found] as SetState | undefined;
}

/** An error in short: what it did to the credits, and to which job. */
export function inShort(error: unknown): string {
  if (!(error instanceof ScreenshotSetsError)) return "";
  return ` ${error.charged}${error.jobId ? `, ${error.jobId}` : ""}`;
}

/** The error of something that waits, in short. */
export function waitingFor(error: ScreenshotSetsError | undefined): string {
  if (error === undefined) return "";
  return error.name === "JobTimeoutError" ? ": overdue" : ": error";
}
