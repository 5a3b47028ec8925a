import { isDeepStrictEqual } from "node:util";
// biome-ignore lint/correctness/useImportExtensions: it is JSON
import published from "../../../openapi.json" with { type: "json" };
import { createApp, createScreenshots, getJob } from "../../generated/operations.js";
import { answers as samples, slides } from "../../generated/samples.js";
import { jobStatuses, setCost } from "../../generated/values.js";
import type { Recorded, RecordedRefusals } from "../../mock/index.js";
import { documentedError, documentedStatuses } from "../../mock/refusal-reasons.js";
import type { Operation } from "../../request/call.js";
import { checkAnswer } from "../../request/check-answer.js";
import { isRecord, issueText } from "../../schema/parse.js";
import { plural } from "../../text/figures.js";
import type { Answer } from "./answer.js";
import type { Observation } from "./observation.js";
import { requests, type TestRequest } from "./request.js";
import { fieldsOf, formOf, gaveOf, shapeOf } from "./words.js";

/** What is compared, in a row. */
export interface Question {
  what: string;
  /** What the document says of it; empty if it leaves it open. */
  document: string;
  /** What was seen of it; undefined if nothing was. */
  look(observed: Observation): Look | undefined;
  /** Whether the document leaves a part of it open, which the mock guesses. */
  isGuessed?: boolean;
  /** What a recording has of it. */
  recorded?(recording: Recorded): unknown;
}

/** What was seen. */
export interface Look {
  words: string;
  /** How it differs from what the document says, if it does. */
  difference: "harmless" | "breaking" | undefined;
  /** Whether something was accepted that is to be refused. */
  isAgainstRules?: boolean;
  /** Whether it cannot be compared with the mock: only a part of it is known. */
  isPartial?: boolean;
  /** Why it is no answer, as a sentence. */
  silence?: string | undefined;
}

const breakingUnless = (isDocumented: boolean) => (isDocumented ? undefined : "breaking");

/** Everything that is compared, in the order in which it is told. A new question is a row. */
export const questions: readonly Question[] = [
  {
    what: "the OpenAPI document",
    document: "this version's",
    look: about(requests.document, (answer, observed) => {
      const isOurs = isDeepStrictEqual(answer.value, published);
      const isOther = answer.meaning === "accepted" && isRecord(answer.value);
      return {
        words: isOurs ? "this version's" : isOther ? "another" : formOf(answer),
        // What changed is told by taking it in.
        difference: isOther && !isOurs ? "harmless" : breakingUnless(isOurs),
        silence: observed.elsewhere ?? silenceBesideKey(answer, observed),
      };
    }),
  },
  { what: "the key in Authorization", document: "accepted", look: lookAtKey(requests.unknownJob) },
  { what: "the key in x-api-key", document: "accepted", look: lookAtKey(requests.otherHeader) },
  {
    what: "no key",
    document: "401, names both headers",
    look: about(requests.noKey, (answer) => {
      const told = JSON.stringify(answer.value ?? "").toLowerCase();
      const { length } = ["authorization", "x-api-key"].filter((name) => told.includes(name));
      const named = `401, names ${["neither header", "one header", "both headers"][length]},`;
      return {
        words: formOf(answer).replace(/^401/, named),
        difference: breakingUnless(answer.status === 401 && length === 2),
        silence: silenceBesideKey(answer),
      };
    }),
    recorded: ({ refusals }) => refusals?.getJob?.missingKey,
  },
  {
    what: "a wrong key",
    document: "401",
    look: about(requests.wrongKey, (answer) => ({
      words: formOf(answer),
      difference: breakingUnless(answer.status === 401),
      silence: silenceBesideKey(answer),
    })),
    recorded: ({ refusals }) => refusals?.getJob?.wrongKey,
  },
  refusal("an unknown job", requests.unknownJob, getJob.name, "notFound"),
  refusal("a set {}", requests.emptySet, createScreenshots.name, "invalidRequest"),
  refusal("an app {}", requests.emptyApp, createApp.name, "invalidRequest"),
  refusal("a set of an unknown app", requests.unknownApp, createScreenshots.name, "notFound"),
  acceptance("an app", createApp, ({ app }) => app),
  acceptance("a set", createScreenshots, ({ set }) => set),
  {
    what: "the price of a set",
    document: plural(setCost, "credit"),
    look({ set, cost }) {
      if (set?.meaning !== "accepted") return undefined;
      const words = typeof cost === "number" ? plural(cost, "credit") : "not told";
      const difference = Number(cost) < setCost ? "harmless" : breakingUnless(cost === setCost);
      return { words, difference };
    },
  },
  {
    what: "the states of a job",
    document: jobStatuses.join(", "),
    look({ states }) {
      const listed: readonly string[] = jobStatuses;
      const difference = breakingUnless(states.every(({ status }) => listed.includes(status)));
      return states.length > 0 ? { words: stateWords(states), difference } : undefined;
    },
  },
  acceptance("a job", getJob, ({ job }) => job),
  {
    what: "the fields of a slide",
    document: slides.length > 0 ? fieldsOf(slides) : "",
    look(observed) {
      const words = observed.slides && fieldsOf(observed.slides);
      const isDocumented = slides.length === 0 || words === fieldsOf(slides);
      return words === undefined ? undefined : { words, difference: isDocumented ? undefined : "harmless" };
    },
    isGuessed: slides.length === 0,
    recorded: ({ set }) => set?.slides,
  },
  {
    what: "the error of a failed job",
    document: "there is one",
    look: ({ failure }) =>
      failure && { words: fieldsOf([failure.error]), difference: breakingUnless(failure.error !== null) },
    isGuessed: true,
    recorded: ({ set }) => set?.error,
  },
];

/** Looks at the answer to a request, if that was sent. */
function about(
  request: TestRequest,
  lookAt: (answer: Answer, observed: Observation) => Look,
): Question["look"] {
  return (observed) => {
    const answer = observed.answers.get(request);
    return answer && lookAt(answer, observed);
  };
}

/**
 * Why an answer tells nothing, as a sentence; undefined if it tells something, as the refusal of a key does.
 *
 * @param observed for a request with the key: its refusal tells something only where the key was taken in the other header
 */
function silenceBesideKey({ meaning, silence }: Answer, observed?: Observation): string | undefined {
  const isTold = !observed || observed.takesKey(requests.unknownJob, requests.otherHeader);
  return meaning === "about the key" && isTold ? undefined : silence;
}

function lookAtKey(request: TestRequest): Question["look"] {
  return about(request, (answer, observed) => {
    const isTaken = observed.takesKey(request);
    return {
      words: isTaken ? "accepted" : formOf(answer),
      difference: breakingUnless(isTaken),
      silence: silenceBesideKey(answer, observed),
    };
  });
}

/** How a request is refused. A document may say only that it is. */
function refusal(
  what: string,
  request: TestRequest,
  operation: keyof NonNullable<Recorded["refusals"]>,
  reason: keyof RecordedRefusals,
): Question {
  const statuses = documentedStatuses(reason, operation);
  const [status] = statuses;
  const body = status && documentedError(status, operation)?.body?.({ message: "", code: "", status });
  const differenceOf = (answer: Answer) => {
    if (answer.meaning !== "refused" || (status && !statuses.includes(Number(answer.status))))
      return "breaking";
    // Another listed status may have another body.
    const isAsDescribed = body === undefined || answer.status !== status || hasFieldsOf(body, answer.value);
    return isAsDescribed ? undefined : "harmless";
  };
  return {
    what,
    document: status ? [status, body === undefined ? "" : shapeOf(body)].join(" ").trim() : "refused",
    isGuessed: body === undefined,
    look: about(request, (answer) => {
      const isAgainstRules = answer.meaning === "accepted";
      return {
        words: isAgainstRules ? `accepted: ${gaveOf(answer)}` : formOf(answer),
        difference: differenceOf(answer),
        isAgainstRules,
        isPartial: answer.isTooDeep,
        silence: answer.silence,
      };
    }),
    recorded: ({ refusals }) => refusals?.[operation]?.[reason],
  };
}

/** Whether a value has the fields of a sample, of the same types; null fits any. */
function hasFieldsOf(sample: unknown, value: unknown): boolean {
  if (sample === null || value === null) return true;
  if (typeof sample !== typeof value || Array.isArray(sample) !== Array.isArray(value)) return false;
  if (!isRecord(sample)) return true;
  return Object.entries(sample).every(([name, part]) => hasFieldsOf(part, Object(value)[name]));
}

/** An answer that the document describes. */
function acceptance(
  what: string,
  operation: Operation,
  find: (observed: Observation) => Answer | undefined,
): Question {
  const listed = successesOf(operation);
  const look: Question["look"] = (observed) => {
    const answer = find(observed);
    if (!answer) return undefined;
    if (answer.meaning !== "accepted") return lookAtRefusal(answer);
    const { missing, oddities } = checkAnswer(operation, answer.value, undefined);
    const [issue] = [...missing, ...oddities];
    if (issue) return { words: `${answer.status}, ${issueText(issue)}`, difference: "breaking" };
    const isListed = listed.length === 0 || listed.includes(String(answer.status));
    return { words: formOf(answer), difference: isListed ? undefined : "harmless" };
  };
  return { what, document: `${listed.join(" or ")} ${shapeOf(samples[operation.name])}`, look };
}

/** A 400 or 422 to a request as documented is a difference. Another refusal, such as for too few credits, tells nothing. */
function lookAtRefusal(answer: Answer): Look {
  const isInvalid = answer.status === 400 || answer.status === 422;
  const silence = answer.meaning === "refused" ? answer.error?.message : answer.silence;
  return { words: formOf(answer), difference: "breaking", silence: isInvalid ? undefined : silence };
}

/** The statuses with which the document says that an operation succeeds; none where it names its path otherwise. */
function successesOf({ method, path }: Operation): string[] {
  const { responses } = Object(Object(Object(published.paths)[path])[method.toLowerCase()]);
  return Object.keys(Object(responses)).filter((status) => /^2\d\d$/.test(status));
}

/** The states in their order, and how long each took. */
function stateWords(states: Observation["states"]): string {
  return states
    .map(({ status, at }, index) => {
      const next = states[index + 1];
      return next ? `${status} (${((next.at - at) / 1000).toFixed(1)} s)` : status;
    })
    .join(", ");
}
