import { createApp, createScreenshots } from "../../generated/operations.js";
import type { Fault } from "../engine/faults.js";
import { type Lifecycle, readLifecycle } from "../lifecycle.js";
import { lifecycle as lifecycleOption } from "../lifecycle-option.js";
import { checkedValue } from "../read-mock-options.js";
import type { Account } from "../service/account.js";
import { accountOf, type ControlledMock, jobOf, notFound } from "./controlled-mock.js";
import { type Operation, operation } from "./operation.js";
import { Refusal } from "./refusal.js";
import { bodies } from "./schemas.js";
import { accountViews, faultView, jobDetail } from "./views.js";

function accountView(account: Account, { engine }: ControlledMock) {
  const [view] = accountViews([account], engine);
  return view as NonNullable<typeof view>;
}

/** A lifecycle as it is given to `createMock`, or in the words of the command line. */
function lifecycleIn(given: Lifecycle | string | undefined): Lifecycle | undefined {
  if (given === undefined) return undefined;
  if (typeof given === "string") return readLifecycle(given.trim());
  return checkedValue("lifecycle", given, lifecycleOption);
}

/**
 * Sends a request to the service as a client with the account's key would.
 *
 * @throws Refusal if the service refuses it
 */
async function ask(
  { engine }: ControlledMock,
  { apiKey }: Account,
  { method, path }: { method: string; path: string },
  body: object,
) {
  // The only other header that the service may read is an idempotency key.
  const header = (name: string) => (name === "authorization" ? `Bearer ${apiKey}` : crypto.randomUUID());
  const request = { method, path, header, text: JSON.stringify(body), signal: () => undefined };
  const { status, text } = await engine.handle({ ...request, hasOwnClock: true });
  if (status === 200 || status === 201) return JSON.parse(text);
  throw new Refusal(400, "invalid_request", `The service answered ${status}. ${text}`);
}

/** An operation that moves a job by hand and answers with the job. */
function moving(
  action: "advance" | "succeed" | "fail",
  summary: string,
  body: NonNullable<Operation<unknown, { error?: Record<string, unknown> | undefined }>["body"]>,
): Operation {
  return operation(`POST /jobs/{id}/${action}`, {
    summary,
    body,
    answer: "Job",
    run: ({ mock, id, body: { error } }) => {
      const owned = jobOf(mock, id);
      const { jobs } = owned.account;
      const state = jobs.stateOf(owned.record);
      if (state.outcome) throw new Refusal(409, "job_ended", `The job has ${state.status} already.`);
      jobs[action](id, error);
      return jobDetail(owned, mock.engine);
    },
  });
}

/** The operations that change the mock. */
export const changes: readonly Operation[] = [
  moving("advance", "Moves a job on by one step.", bodies.none),
  moving("succeed", "Ends a job with its slides.", bodies.none),
  moving("fail", "Ends a job with this error, or with its plan's.", bodies.failure),
  operation("PATCH /accounts/{id}", {
    summary: "Sets the credits left, and the lifecycle of the jobs that are accepted from then on.",
    body: bodies.accountChange,
    answer: "Account",
    run: ({ mock, id, body: { remaining, lifecycle } }) => {
      const account = accountOf(mock, id);
      const checked = lifecycleIn(lifecycle);
      if (remaining !== undefined) account.credits.set(remaining);
      if (checked) account.lifecycle = checked;
      return accountView(account, mock);
    },
  }),
  operation("POST /accounts", {
    summary: "Opens an account. The answer holds its key, as no later one does.",
    body: bodies.account,
    status: 201,
    answer: "AccountWithKey",
    run: ({ mock, body: { lifecycle, ...body } }) => {
      const account = mock.openAccount({ ...body, lifecycle: lifecycleIn(lifecycle) });
      return { ...accountView(account, mock), key: account.apiKey };
    },
  }),
  operation("POST /accounts/{id}/keys", {
    summary: "Makes a further key. The answer holds it, as no later one does.",
    body: bodies.none,
    status: 201,
    answer: "Key",
    run: ({ mock, id }) => accountOf(mock, id).createKey(),
  }),
  operation("DELETE /accounts/{id}/keys/{keyId}", {
    summary: "Revokes a key.",
    run: ({ mock, id, keyId }) => {
      const account = accountOf(mock, id);
      for (const [key, holder] of mock.engine.registry.held()) {
        if (holder.account === account && holder.keyId === keyId) return account.keys.revoke(key);
      }
      throw notFound("key");
    },
  }),
  operation("POST /accounts/{id}/next-job", {
    summary: "Decides how the account's next accepted job goes.",
    body: bodies.plan,
    run: ({ mock, id, body: { lifecycle, ...body } }) =>
      accountOf(mock, id).nextJob({ ...body, lifecycle: lifecycleIn(lifecycle) }),
  }),
  operation("POST /accounts/{id}/sets", {
    summary: "Creates an app and plans a set of it, as a client with the account's key would.",
    body: bodies.set,
    status: 201,
    answer: "Job",
    run: async ({ mock, id, body: { iosUrl, ...set } }) => {
      const account = accountOf(mock, id);
      const { appId } = await ask(mock, account, createApp, { iosUrl });
      const { jobId } = await ask(mock, account, createScreenshots, { appId, ...set });
      return jobDetail(jobOf(mock, jobId), mock.engine);
    },
  }),
  operation("POST /accounts/{id}/reset", {
    summary: "An account back at its start, with its faults and requests; the others stay.",
    body: bodies.none,
    run: ({ mock, id }) => mock.resetAccount(accountOf(mock, id)),
  }),
  operation("POST /faults", {
    summary: "Makes requests fail; `operation: null` means any operation, and `times: null` no limit.",
    body: bodies.fault,
    status: 201,
    answer: "Fault",
    run: ({ mock, body: { fault, operation, account, times, ...more } }) => {
      const { faults, registry } = mock.engine;
      const count = times === null ? Number.POSITIVE_INFINITY : times;
      const options = { ...more, operation: operation ?? undefined, times: count };
      const only = typeof account === "string" ? accountOf(mock, account) : undefined;
      return faultView(faults.add(fault as Fault, options, only), registry);
    },
  }),
  operation("DELETE /faults", {
    summary: "Disarms all faults.",
    run: ({ mock: { engine } }) => {
      for (const fault of engine.faults.armed) engine.faults.remove(fault);
    },
  }),
  operation("DELETE /faults/{id}", {
    summary: "Disarms a fault.",
    run: ({ mock: { engine }, id }) => {
      const fault = engine.faults.armed.find((one) => one.id === id);
      if (!fault) throw notFound("fault");
      engine.faults.remove(fault);
    },
  }),
  operation("POST /clock", {
    summary: "Moves the time forward, and ends every sleep that falls due on the way.",
    body: bodies.clock,
    answer: "Clock",
    run: async ({ mock: { engine }, body: { advanceMs } }) => {
      const { clock } = engine;
      await clock.advance(advanceMs);
      return { kind: clock.kind, now: clock.now() };
    },
  }),
  operation("POST /reset", {
    summary: "Back to the start, clock and ids included.",
    body: bodies.none,
    run: ({ mock }) => mock.reset(),
  }),
];
