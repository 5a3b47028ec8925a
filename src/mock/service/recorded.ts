import { operations } from "../../generated/operations.js";
import { operationNames } from "../../generated/values.js";
import { isRead } from "../../is-read.js";
import { endOf, isOpenStatus } from "../../job-end.js";
import * as z from "../../schema/kinds.js";
import { issueText, lazy, parse } from "../../schema/parse.js";
import { type RefusalReason, refusalReasons } from "../refusal-reasons.js";
import { plainCopy } from "./plain-copy.js";
import type { OperationName } from "./routes.js";

/**
 * What was seen of the real service, to be given to `createMock` in place of what the mock fills in: plain JSON, as
 * `screenshot-sets verify --out FILE` writes it, or by hand. Whatever it leaves out is filled in as without it.
 */
export interface Recorded {
  /** The version of this form: 1. */
  version: number;
  /** How each operation refuses a request. */
  refusals?: Partial<Record<OperationName, RecordedRefusals | undefined>> | undefined;
  /** One set, from its acceptance to its end. */
  set?: RecordedSet | undefined;
}

/** The refusals of one operation, by their reasons. */
export type RecordedRefusals = Partial<Record<RefusalReason, RecordedRefusal | undefined>>;

/** The answer to a refused request. Without `body` and `text`, it is empty. */
export interface RecordedRefusal {
  /** From 300 to 599. */
  status: number;
  /** The body, if it is JSON. */
  body?: unknown;
  /** The body, if it is something else, such as HTML. */
  text?: string | undefined;
}

/** What was seen of a set. */
export interface RecordedSet {
  /** The price, in credits. */
  cost?: number | undefined;
  /** How many slides were asked for. Sets of this count have all the `slides`, whatever their number. */
  count?: number | undefined;
  /**
   * The statuses of the job in their order, the last one being that of its end. Jobs of the mock have them, too, each at
   * one poll, unless a `lifecycle` says otherwise; they fail if this one did.
   */
  states?: string[] | undefined;
  /** The slides, in their order: from the beginning again for a larger set, cut for a smaller one. */
  slides?: unknown[] | undefined;
  /** The `error` of the job, if it failed. */
  error?: unknown;
}

const refusal = () =>
  z.checked(
    z.strictObject({
      status: z.integer(300, 599),
      body: z.optional(z.unknown()),
      text: z.optional(z.string()),
    }),
    ({ value, issues }) => {
      const isTwofold = value.body !== undefined && value.text !== undefined;
      if (isTwofold)
        issues.push({
          code: "custom",
          input: value,
          path: ["text"],
          message: "Expected no `body` beside it",
        });
    },
  );

/** What only reads costs nothing, so it is not refused for lack of credits. */
const refusals = (name: OperationName) => {
  const isFree = operations.some((operation) => operation.name === name && isRead(operation.method));
  const reasons = Object.keys(refusalReasons).filter((reason) => !isFree || reason !== "insufficientCredits");
  return z.strictObject(Object.fromEntries(reasons.map((reason) => [reason, z.optional(refusal())])));
};

/** The statuses of a job: its end comes last, and nowhere before. */
const states = () =>
  z.checked(z.array(z.text(1)).check(z.minLength(1)), ({ value, issues }) => {
    const refuse = (index: number, message: string) =>
      issues.push({ code: "custom", input: value, path: [index], message });
    for (const [index, status] of value.slice(0, -1).entries())
      if (endOf({ status })) refuse(index, "Expected the end of the job to be the last");
    if (isOpenStatus(value.at(-1) ?? "")) refuse(value.length - 1, "Expected a status that ends the job");
  });

const form = lazy(() =>
  z.strictObject({
    version: z.literal(1),
    refusals: z.optional(
      z.strictObject(Object.fromEntries(operationNames.map((name) => [name, z.optional(refusals(name))]))),
    ),
    set: z.optional(
      z.strictObject({
        cost: z.optional(z.number().check(z.gte(0), z.lte(1e9))),
        count: z.optional(z.integer(1)),
        states: z.optional(states()),
        slides: z.optional(z.array(z.unknown())),
        error: z.optional(z.unknown()),
      } satisfies Record<keyof RecordedSet, unknown>),
    ),
  } satisfies Record<keyof Recorded, unknown>),
);

/**
 * The check of the option `recorded`, which it copies.
 *
 * @throws TypeError that names each field that is wrong
 */
export function recordedOption(given: Recorded | undefined): Recorded {
  if (given === undefined) return { version: 1 };
  const parsed = parse(form, plainCopy(given));
  if (parsed.ok) return parsed.value as Recorded;
  const issues = parsed.issues.map(({ path, message }) =>
    issueText({ path: ["recorded", path].filter(Boolean).join("."), message }),
  );
  throw new TypeError(`Expected \`recorded\` to be what \`verify --out\` writes. ${issues.join("; ")}`);
}
