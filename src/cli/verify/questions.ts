import { isDeepStrictEqual } from "node:util";
import { plural } from "../../figures.js";
import { createApp, createScreenshots, getJob } from "../../generated/operations.js";
import { answers as samples, slides } from "../../generated/samples.js";
import { jobStatuses, setCost } from "../../generated/values.js";
import type { Recorded, RecordedRefusals } from "../../mock/index.js";
import { documentedError, documentedStatuses } from "../../mock/refusal-reasons.js";
import type { Operation } from "../../request/call.js";
import { checkAnswer } from "../../request/check-answer.js";
import { isRecord, issueText } from "../../schema/parse.js";
import { type Answer, type Ask, asks, isAccepted, isRefused, silenceOf, takesKey } from "./ask.js";
import type { Seen } from "./seen.js";
import { fieldsOf, formOf, gaveOf, shapeOf } from "./words.js";

/** What is compared, in a row. */
export interface Question {
  what: string;
  /** What the document says of it; empty if it leaves it open. */
  document: string | ((mock: Seen) => string);
  /** What was seen of it; undefined if nothing was. */
  look(seen: Seen, mock: Seen): Look | undefined;
  /** Whether the document leaves a part of it open, which the mock guesses. */
  isGuessed?: boolean;
  /** What a recording has of it. */
  recorded?(recording: Recorded): unknown;
}

/** What was seen. */
export interface Look {
  words: string;
  /** Whether it is what the document says, or a difference that breaks nothing. */
  isDocumented: boolean | "harmless";
  /** Why it is no answer, as a sentence. */
  silence?: string | undefined;
}

/** The statuses that the document lists for a job, if it does. */
const statuses: readonly string[] = jobStatuses;

/** Everything that is compared, in the order in which it is told. A new question is a row. */
export const questions: readonly Question[] = [
  {
    ...{ what: "the OpenAPI document", document: "this version's" },
    look: about(asks.document, (answer, seen, mock) => {
      const isOurs = isDeepStrictEqual(answer.value, mock.answers.get(asks.document)?.value);
      const isOther = isAccepted(answer) && isRecord(answer.value);
      return {
        words: isOurs ? "this version's" : isOther ? "another" : formOf(answer),
        // What changed is told by taking it in.
        isDocumented: isOurs || (isOther && "harmless"),
        silence: seen.elsewhere ?? silenceOf(answer, !seen.isKeyTaken),
      };
    }),
  },
  { what: "the key in Authorization", document: "accepted", look: about(asks.unknownJob, lookAtKey) },
  { what: "the key in x-api-key", document: "accepted", look: about(asks.otherHeader, lookAtKey) },
  {
    ...{ what: "no key", document: "401, names both headers" },
    look: about(asks.noKey, (answer) => {
      const told = JSON.stringify(answer.value ?? "").toLowerCase();
      const { length } = ["authorization", "x-api-key"].filter((name) => told.includes(name));
      const named = `401, names ${["neither header", "one header", "both headers"][length]},`;
      const isDocumented = answer.status === 401 && length === 2;
      return {
        words: formOf(answer).replace(/^401/, named),
        isDocumented,
        silence: silenceOf(answer, false),
      };
    }),
    recorded: ({ refusals }) => refusals?.getJob?.missingKey,
  },
  {
    ...{ what: "a wrong key", document: "401" },
    look: about(asks.wrongKey, (answer) => ({
      ...{ words: formOf(answer), isDocumented: answer.status === 401, silence: silenceOf(answer, false) },
    })),
    recorded: ({ refusals }) => refusals?.getJob?.wrongKey,
  },
  refusal(asks.unknownJob, getJob.name, "notFound"),
  refusal(asks.emptySet, createScreenshots.name, "invalidRequest"),
  refusal(asks.emptyApp, createApp.name, "invalidRequest"),
  refusal(asks.unknownApp, createScreenshots.name, "notFound"),
  acceptance("an app", createApp, ({ app }) => app),
  acceptance("a set", createScreenshots, ({ set }) => set),
  {
    ...{ what: "the price of a set", document: plural(setCost, "credit") },
    look({ set, cost }) {
      if (!set || !isAccepted(set)) return undefined;
      const words = typeof cost === "number" ? plural(cost, "credit") : "not told";
      return { words, isDocumented: cost === setCost || (Number(cost) < setCost && "harmless") };
    },
  },
  {
    ...{ what: "the states of a job", document: statuses.join(", ") },
    look({ states }) {
      const isListed = states.every(({ status }) => statuses.length === 0 || statuses.includes(status));
      return states.length > 0 ? { words: stateWords(states), isDocumented: isListed } : undefined;
    },
  },
  acceptance("a job", getJob, ({ job }) => job),
  {
    ...{ what: "the fields of a slide", document: slides.length > 0 ? fieldsOf(slides) : "" },
    look({ slides: seen }) {
      const words = seen && fieldsOf(seen);
      const isDocumented = slides.length === 0 || words === fieldsOf(slides) || "harmless";
      return words === undefined ? undefined : { words, isDocumented };
    },
    isGuessed: slides.length === 0,
    recorded: ({ set }) => set?.slides,
  },
  {
    ...{ what: "the error of a failed job", document: "there is one" },
    look: ({ failure }) =>
      failure && { words: fieldsOf([failure.error]), isDocumented: failure.error !== null },
    isGuessed: true,
    recorded: ({ set }) => set?.error,
  },
];

type LookAt = (answer: Answer, seen: Seen, mock: Seen) => Look;

/** Looks at the answer to a request, if that was sent. */
function about(asked: Ask, lookAt: LookAt): Question["look"] {
  return (seen, mock) => {
    const answer = seen.answers.get(asked);
    return answer && lookAt(answer, seen, mock);
  };
}

function lookAtKey(answer: Answer, seen: Seen): Look {
  const isDocumented = takesKey(answer);
  const silence = silenceOf(answer, !seen.isKeyTaken);
  return { words: isDocumented ? "accepted" : formOf(answer), isDocumented, silence };
}

/** How something is refused. A document may say only that it is. */
function refusal(
  asked: Ask,
  operation: keyof NonNullable<Recorded["refusals"]>,
  reason: keyof RecordedRefusals,
): Question {
  const statuses = documentedStatuses(reason, operation);
  const [status] = statuses;
  const body = status && documentedError(status, operation)?.body?.({ message: "", code: "", status });
  const isAsListed = (answer: Answer) =>
    isRefused(answer) && (!status || statuses.includes(Number(answer.status)));
  // Another listed status may have another body.
  const isAsDescribed = (answer: Answer) =>
    body === undefined || answer.status !== status || hasFieldsOf(body, answer.value) || "harmless";
  return {
    what: asked.what,
    document: status ? [status, body === undefined ? "" : shapeOf(body)].join(" ").trim() : "refused",
    isGuessed: body === undefined,
    look: about(asked, (answer) => ({
      words: isAccepted(answer) ? `accepted: ${gaveOf(answer)}` : formOf(answer),
      isDocumented: isAsListed(answer) && isAsDescribed(answer),
      silence: silenceOf(answer, true),
    })),
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
function acceptance(what: string, operation: Operation, find: (seen: Seen) => Answer | undefined): Question {
  const document = (mock: Seen) =>
    `${successesOf(operation, mock).join(" or ")} ${shapeOf(samples[operation.name])}`;
  const look: Question["look"] = (seen, mock) => {
    const answer = find(seen);
    if (!answer) return undefined;
    if (!isAccepted(answer))
      return { words: formOf(answer), isDocumented: false, silence: refusedWith(answer) };
    const { missing, oddities } = checkAnswer(operation, answer.value, undefined);
    const [issue] = [...missing, ...oddities];
    if (issue) return { words: `${answer.status}, ${issueText(issue)}`, isDocumented: false };
    const listed = successesOf(operation, mock);
    const isListed = listed.length === 0 || listed.includes(String(answer.status));
    return { words: formOf(answer), isDocumented: isListed || "harmless" };
  };
  return { what, document, look };
}

/** Why nothing was accepted, unless that is an answer: that a request as documented is invalid. */
function refusedWith(answer: Answer): string | undefined {
  const isAnswer = answer.status === 400 || answer.status === 422 || !isRefused(answer);
  return isAnswer ? silenceOf(answer, true) : answer.error?.message;
}

/** The statuses with which the document says that an operation succeeds; none where it names its path otherwise. */
function successesOf({ method, path }: Operation, { answers }: Seen): string[] {
  const { paths } = Object(answers.get(asks.document)?.value);
  const { responses } = Object(Object(Object(paths)[path])[method.toLowerCase()]);
  return Object.keys(Object(responses)).filter((status) => /^2\d\d$/.test(status));
}

/** The states in their order, and how long each took. */
function stateWords(states: Seen["states"]): string {
  return states
    .map(({ status, at }, index) => {
      const next = states[index + 1];
      return next ? `${status} (${((next.at - at) / 1000).toFixed(1)} s)` : status;
    })
    .join(", ");
}
