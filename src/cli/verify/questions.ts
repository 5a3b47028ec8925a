import { isDeepStrictEqual } from "node:util";
import { createApp, createScreenshots, getJob } from "../../generated/operations.js";
import { answers as samples, slides } from "../../generated/samples.js";
import { jobStatuses, setCost } from "../../generated/values.js";
import type { Recorded, RecordedRefusals } from "../../mock/index.js";
import { documentedError, documentedStatuses } from "../../mock/refusal-reasons.js";
import type { Operation } from "../../request/call.js";
import { checkAnswer } from "../../request/check-answer.js";
import { isRecord, issueText } from "../../schema/parse.js";
import { plural } from "../../text/figures.js";
import { type Answer, silenceOf, takesKey } from "./answer.js";
import type { Observation } from "./observation.js";
import { requests, type TestRequest } from "./request.js";
import { fieldsOf, formOf, gaveOf, shapeOf } from "./words.js";

/** What is compared, in a row. */
export interface Question {
  what: string;
  /** What the document says of it; empty if it leaves it open. */
  document: string | ((mock: Observation) => string);
  /** What was seen of it; undefined if nothing was. */
  look(service: Observation, mock: Observation): Look | undefined;
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
  /** Whether it cannot be compared with the mock: only a part of it is known. */
  isPartial?: boolean;
  /** Why it is no answer, as a sentence. */
  silence?: string | undefined;
}

/** The statuses that the document lists for a job, if it does. */
const statuses: readonly string[] = jobStatuses;

/** Everything that is compared, in the order in which it is told. A new question is a row. */
export const questions: readonly Question[] = [
  {
    what: "the OpenAPI document",
    document: "this version's",
    look: about(requests.document, (answer, service, mock) => {
      const isOurs = isDeepStrictEqual(answer.value, mock.answers.get(requests.document)?.value);
      const isOther = answer.meaning === "accepted" && isRecord(answer.value);
      return {
        words: isOurs ? "this version's" : isOther ? "another" : formOf(answer),
        // What changed is told by taking it in.
        isDocumented: isOurs || (isOther && "harmless"),
        silence: service.elsewhere ?? silenceOf(answer, !service.isKeyTaken),
      };
    }),
  },
  { what: "the key in Authorization", document: "accepted", look: about(requests.unknownJob, lookAtKey) },
  { what: "the key in x-api-key", document: "accepted", look: about(requests.otherHeader, lookAtKey) },
  {
    what: "no key",
    document: "401, names both headers",
    look: about(requests.noKey, (answer) => {
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
    what: "a wrong key",
    document: "401",
    look: about(requests.wrongKey, (answer) => ({
      words: formOf(answer),
      isDocumented: answer.status === 401,
      silence: silenceOf(answer, false),
    })),
    recorded: ({ refusals }) => refusals?.getJob?.wrongKey,
  },
  refusal(requests.unknownJob, getJob.name, "notFound"),
  refusal(requests.emptySet, createScreenshots.name, "invalidRequest"),
  refusal(requests.emptyApp, createApp.name, "invalidRequest"),
  refusal(requests.unknownApp, createScreenshots.name, "notFound"),
  acceptance("an app", createApp, ({ app }) => app),
  acceptance("a set", createScreenshots, ({ set }) => set),
  {
    what: "the price of a set",
    document: plural(setCost, "credit"),
    look({ set, cost }) {
      if (set?.meaning !== "accepted") return undefined;
      const words = typeof cost === "number" ? plural(cost, "credit") : "not told";
      return { words, isDocumented: cost === setCost || (Number(cost) < setCost && "harmless") };
    },
  },
  {
    what: "the states of a job",
    document: statuses.join(", "),
    look({ states }) {
      const isListed = states.every(({ status }) => statuses.length === 0 || statuses.includes(status));
      return states.length > 0 ? { words: stateWords(states), isDocumented: isListed } : undefined;
    },
  },
  acceptance("a job", getJob, ({ job }) => job),
  {
    what: "the fields of a slide",
    document: slides.length > 0 ? fieldsOf(slides) : "",
    look(service) {
      const words = service.slides && fieldsOf(service.slides);
      const isDocumented = slides.length === 0 || words === fieldsOf(slides) || "harmless";
      return words === undefined ? undefined : { words, isDocumented };
    },
    isGuessed: slides.length === 0,
    recorded: ({ set }) => set?.slides,
  },
  {
    what: "the error of a failed job",
    document: "there is one",
    look: ({ failure }) =>
      failure && { words: fieldsOf([failure.error]), isDocumented: failure.error !== null },
    isGuessed: true,
    recorded: ({ set }) => set?.error,
  },
];

type LookAt = (answer: Answer, service: Observation, mock: Observation) => Look;

/** Looks at the answer to a request, if that was sent. */
function about(request: TestRequest, lookAt: LookAt): Question["look"] {
  return (service, mock) => {
    const answer = service.answers.get(request);
    return answer && lookAt(answer, service, mock);
  };
}

function lookAtKey(answer: Answer, service: Observation): Look {
  const isDocumented = takesKey(answer);
  const silence = silenceOf(answer, !service.isKeyTaken);
  return { words: isDocumented ? "accepted" : formOf(answer), isDocumented, silence };
}

/** How a request is refused. A document may say only that it is. */
function refusal(
  request: TestRequest,
  operation: keyof NonNullable<Recorded["refusals"]>,
  reason: keyof RecordedRefusals,
): Question {
  const statuses = documentedStatuses(reason, operation);
  const [status] = statuses;
  const body = status && documentedError(status, operation)?.body?.({ message: "", code: "", status });
  const isAsListed = (answer: Answer) =>
    answer.meaning === "refused" && (!status || statuses.includes(Number(answer.status)));
  // Another listed status may have another body.
  const isAsDescribed = (answer: Answer) =>
    body === undefined || answer.status !== status || hasFieldsOf(body, answer.value) || "harmless";
  return {
    what: request.what,
    document: status ? [status, body === undefined ? "" : shapeOf(body)].join(" ").trim() : "refused",
    isGuessed: body === undefined,
    look: about(request, (answer) => ({
      words: answer.meaning === "accepted" ? `accepted: ${gaveOf(answer)}` : formOf(answer),
      isDocumented: isAsListed(answer) && isAsDescribed(answer),
      isPartial: answer.isTooDeep,
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
function acceptance(
  what: string,
  operation: Operation,
  find: (observed: Observation) => Answer | undefined,
): Question {
  const look: Question["look"] = (service, mock) => {
    const answer = find(service);
    if (!answer) return undefined;
    if (answer.meaning !== "accepted") {
      // That a request as documented is invalid is an answer; that it is refused for another reason is none.
      const isInvalid = answer.status === 400 || answer.status === 422;
      const silence = answer.meaning === "refused" ? answer.error?.message : silenceOf(answer, true);
      return { words: formOf(answer), isDocumented: false, silence: isInvalid ? undefined : silence };
    }
    const { missing, oddities } = checkAnswer(operation, answer.value, undefined);
    const [issue] = [...missing, ...oddities];
    if (issue) return { words: `${answer.status}, ${issueText(issue)}`, isDocumented: false };
    const listed = successesOf(operation, mock);
    const isListed = listed.length === 0 || listed.includes(String(answer.status));
    return { words: formOf(answer), isDocumented: isListed || "harmless" };
  };
  const shape = shapeOf(samples[operation.name]);
  return { what, document: (mock) => `${successesOf(operation, mock).join(" or ")} ${shape}`, look };
}

/** The statuses with which the document says that an operation succeeds; none where it names its path otherwise. */
function successesOf({ method, path }: Operation, { answers }: Observation): string[] {
  const { paths } = Object(answers.get(requests.document)?.value);
  const { responses } = Object(Object(Object(paths)[path])[method.toLowerCase()]);
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
