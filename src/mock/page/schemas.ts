import * as z from "zod/mini";
import { operationNames } from "../../generated/values.js";
import { type FaultField, faultNames } from "../engine/faults.js";
import { type Lengths, lengthUnits, namedLifecycles } from "../lifecycle.js";
import type { ServedMock } from "./controlled-mock.js";
import { statusFilter } from "./status-filter.js";

/** The schemas of the control API: they check its requests, and its OpenAPI document and the page's types use them. */
const anything = z.unknown();
const count = z.int().check(z.gte(0));
const time = z.number();
const operationName = z.literal(operationNames);
const when = z.literal(["before", "after"]);

const lengths = z.strictObject({
  queued: z.number(),
  running: z.number(),
  unit: z.literal(lengthUnits),
} satisfies Record<keyof Lengths, z.ZodMiniType>);
const lifecycle = z.union([z.literal(namedLifecycles), lengths]);
/** Also in the words of the command line, such as `2p,3p`. */
const givenLifecycle = z.union([z.string(), lengths]);

const fault = z.union([
  z.literal(faultNames),
  z.strictObject({
    status: z.optional(z.int()),
    latencyMs: z.optional(z.number()),
    body: z.optional(anything),
    headers: z.optional(z.record(z.string(), z.string())),
    retryAfter: z.optional(z.number()),
  } satisfies Record<FaultField, z.ZodMiniType>),
]);

const key = z.strictObject({ id: z.string(), masked: z.string(), revoked: z.boolean() });

const account = z.strictObject({
  id: z.string(),
  remaining: z.number(),
  used: z.number(),
  allowance: count,
  lifecycle,
  keys: z.array(key),
  apps: count,
  jobs: count,
});

const job = z.strictObject({
  id: z.string(),
  account: z.string(),
  appId: z.string(),
  keyId: z.string(),
  device: z.string(),
  count,
  status: z.string(),
  polls: count,
  acceptedAt: time,
  endedAt: z.nullable(time),
  lifecycle,
});

const sources = { guesses: z.array(z.string()), recorded: z.array(z.string()) };

const jobDetail = z.extend(job, { result: anything, error: anything, ...sources });

const ledgerRow = z.strictObject({
  account: z.string(),
  time,
  amount: z.number(),
  jobId: z.nullable(z.string()),
  keyId: z.string(),
});

const armedFault = z.strictObject({
  id: z.string(),
  fault,
  operation: z.nullable(operationName),
  account: z.optional(z.string()),
  times: z.nullable(count),
  skip: z.nullable(count),
  when,
});

const clock = z.strictObject({ kind: z.literal(["virtual", "system"]), now: time });

const requestCounts = { total: count, kept: count, open: count };

const request = z.strictObject({
  id: count,
  operation: z.nullable(operationName),
  time,
  method: z.string(),
  path: z.string(),
  key: z.nullable(z.string()),
  keyId: z.nullable(z.string()),
  account: z.nullable(z.string()),
  status: z.nullable(z.int()),
  durationMs: z.nullable(z.number()),
  credits: z.number(),
  ...sources,
  hasBody: z.boolean(),
});

/** The schemas of answers, by their names in the OpenAPI document. */
export const answers = {
  State: z.strictObject({
    version: z.string(),
    url: z.string(),
    token: z.string(),
    epoch: count,
    clock,
    accounts: z.array(account),
    jobs: z.array(job),
    jobCount: count,
    ledger: z.array(ledgerRow),
    faults: z.array(armedFault),
    requests: z.strictObject(requestCounts),
  }),
  Account: account,
  AccountWithKey: z.extend(account, { key: z.string() }),
  Key: z.strictObject({ id: z.string(), key: z.string() }),
  Job: jobDetail,
  Jobs: z.strictObject({ total: count, jobs: z.array(job) }),
  Request: z.extend(request, { body: anything, responseHeaders: anything, responseBody: anything }),
  Requests: z.strictObject({ ...requestCounts, matching: count, requests: z.array(request) }),
  Fault: armedFault,
  Clock: clock,
  Refusal: z.strictObject({ error: z.strictObject({ code: z.string(), message: z.string() }) }),
};

export type State = z.infer<typeof answers.State>;
export type AccountView = z.infer<typeof account>;
export type JobView = z.infer<typeof job>;
export type JobDetail = z.infer<typeof jobDetail>;
export type JobList = z.infer<typeof answers.Jobs>;
export type LedgerView = z.infer<typeof ledgerRow>;
export type FaultView = z.infer<typeof armedFault>;
export type RequestView = z.infer<typeof request>;
export type RequestDetail = z.infer<typeof answers.Request>;
export type RequestList = z.infer<typeof answers.Requests>;

const limit = z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(10_000)), 100);

/** A query for requests of the journal. */
export type RequestQuery = z.infer<typeof queries.requests>;

/** The schemas of queries. */
export const queries = {
  jobs: z.strictObject({
    account: z.optional(z.string()),
    // A recording may have further ones.
    status: z.optional(z.string()),
    before: z.optional(z.string()),
    limit,
  }),
  requests: z.strictObject({
    operation: z.optional(z.literal([...operationNames, "none"])),
    status: z.optional(z.string().check(z.regex(statusFilter))),
    account: z.optional(z.string()),
    search: z.optional(z.string()),
    before: z.optional(z.coerce.number().check(z.int(), z.gte(1))),
    limit,
  }),
  none: z.strictObject({}),
};

const record = z.record(z.string(), anything);

/** The schemas of request bodies. The mock's own checks of ranges come after these. */
export const bodies = {
  none: z.strictObject({}),
  failure: z.strictObject({ error: z.optional(record) }),
  accountChange: z.strictObject({ remaining: z.optional(count), lifecycle: z.optional(givenLifecycle) }),
  account: z.strictObject({
    apiKey: z.optional(z.string()),
    allowance: z.optional(count),
    lifecycle: z.optional(givenLifecycle),
  }),
  set: z.strictObject({ iosUrl: z.string(), device: z.string(), count: z.number() }),
  plan: z.strictObject({
    outcome: z.literal(["succeeded", "failed"]),
    lifecycle: z.optional(givenLifecycle),
    error: z.optional(record),
    slides: z.optional(z.array(anything)),
  }),
  fault: z.strictObject({
    fault,
    operation: z.optional(z.nullable(operationName)),
    account: z.optional(z.nullable(z.string())),
    times: z.optional(z.nullable(z.int())),
    skip: z.optional(z.int()),
    when: z.optional(when),
  }),
  clock: z.strictObject({ advanceMs: z.number().check(z.gte(0)) }),
};

/** The checked input of an operation of the control API. */
interface Asked<Query, Body> {
  mock: ServedMock;
  /** The path parameters; empty if the path has none. */
  id: string;
  keyId: string;
  query: Query;
  body: Body;
}

type AnswerName = keyof typeof answers;

type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** An operation of the control API. */
export interface Operation<Query = unknown, Body = unknown, Answer = unknown> {
  method: Method;
  /** The path below `/_mock`. */
  path: string;
  /** What the operation does, for the OpenAPI document. */
  summary: string;
  query?: z.ZodMiniType<Query>;
  body?: z.ZodMiniType<Body>;
  status: number;
  /** The name of the answer's schema; without one, the answer has no body. */
  answer?: AnswerName;
  run(asked: Asked<Query, Body>): Answer | Promise<Answer>;
}

type AnswerOf<Name> = Name extends AnswerName ? z.infer<(typeof answers)[Name]> : unknown;

/**
 * Defines an operation. The compiler checks its input and its answer against the schemas.
 *
 * @param route the method, and the path below `/_mock`
 */
export function operation<Query, Body, Name extends AnswerName | undefined = undefined>(
  route: `${Method} /${string}`,
  one: Omit<Operation<Query, Body, AnswerOf<Name>>, "method" | "path" | "status" | "answer"> & {
    /** @default 200, or 204 without an answer */
    status?: 201;
    answer?: Name;
  },
): Operation {
  const [method, path] = route.split(" ");
  return { method, path, status: one.answer ? 200 : 204, ...one } as Operation;
}
