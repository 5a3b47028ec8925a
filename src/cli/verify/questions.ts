import { isDeepStrictEqual } from "node:util";
import { createApp, createScreenshots, getJob } from "../../generated/operations.js";
import { slides } from "../../generated/samples.js";
import { defaultCount, devices, jobStatuses, setCost } from "../../generated/values.js";
import { documentPath } from "../../mock/document-path.js";
import type { OperationName, RefusalReason } from "../../mock/index.js";
import { isRecord } from "../../schema/parse.js";
import { plural } from "../output.js";
import type { Answer, Ask } from "./ask.js";
import type { Seen, SeenSet } from "./seen.js";
import { fieldsOf, formOf, gaveOf } from "./words.js";

/** A row of what is compared. */
export interface Question {
  what: string;
  /** What the document says of it; empty if it leaves it open. */
  document: string;
  /** The request that it is about, unless that is the set. */
  asks?: Ask;
  /** What was seen, in some words; undefined if it was not tried. */
  sees(seen: Seen, onMock: Seen): string | undefined;
  /** Whether what was seen is what the document says. */
  isDocumented(words: string, seen: Seen): boolean;
  /** Whether a difference from the document breaks nothing. */
  isHarmless?(words: string, seen: Seen): boolean;
  /** Whether the document leaves a part of it open, which the mock guesses. */
  isGuessed?: boolean;
  /** What the answer is in a recording. */
  records?: Partial<Record<OperationName, RefusalReason>>;
}

const documentAsk: Ask = { method: "GET", path: documentPath, key: "authorization" };

const jobAsk = (key: Ask["key"]): Ask => {
  const { method, path, pathParameters } = getJob;
  return { method, path, params: { path: { [pathParameters[0]]: "verify-no-such-job" } }, key };
};
const unknownJob = jobAsk("authorization");

/** A document may list no devices. */
export const anyDevice: string = devices.at(0) ?? "iphone-69";

const { method, path } = createScreenshots;
const emptyApp: Ask = { method: createApp.method, path: createApp.path, body: {}, key: "authorization" };
const emptySet: Ask = { method, path, body: {}, key: "authorization" };
const unknownApp: Ask = {
  ...emptySet,
  body: { appId: "verify-no-such-app", device: anyDevice, count: defaultCount },
  needsSpend: true,
};

/** The statuses that the document lists, if it does. */
const statuses: readonly string[] = jobStatuses;

/** Everything that is compared, in the order in which it is told. A new question is a row. */
export const questions: readonly Question[] = [
  about(documentAsk, {
    what: "the OpenAPI document",
    document: "this version's",
    sees(answer, onMock) {
      if (isDeepStrictEqual(answer.body.value, onMock?.body.value)) return "this version's";
      return isAccepted(answer) && isRecord(answer.body.value) ? "another" : formOf(answer);
    },
    // What changed is told by taking it in.
    isHarmless: (words) => words === "another",
  }),
  about(unknownJob, { what: "the key in Authorization", document: "accepted", sees: keyWords }),
  about(jobAsk("x-api-key"), { what: "the key in x-api-key", document: "accepted", sees: keyWords }),
  about(jobAsk("none"), {
    what: "no key",
    document: "401, names both headers",
    sees(answer) {
      if (answer.status !== 401) return formOf(answer);
      const names = ["authorization", "x-api-key"].filter((name) =>
        answer.body.text.toLowerCase().includes(name),
      );
      return `401, names ${["neither header", "one header", "both headers"][names.length]}`;
    },
    // The key is looked at before the operation.
    records: { createApp: "missingKey", createScreenshots: "missingKey", getJob: "missingKey" },
  }),
  about(jobAsk("wrong"), {
    what: "a wrong key",
    document: "401",
    sees: (answer) => (answer.status === 401 ? "401" : formOf(answer)),
    records: { createApp: "wrongKey", createScreenshots: "wrongKey", getJob: "wrongKey" },
  }),
  refusal(unknownJob, "an unknown job", { getJob: "notFound" }),
  refusal(emptySet, "a set {}", { createScreenshots: "invalidRequest" }),
  refusal(emptyApp, "an app {}", { createApp: "invalidRequest" }),
  refusal(unknownApp, "a set of an unknown app", { createScreenshots: "notFound" }),
  {
    what: "the price of a set",
    document: creditWords(setCost),
    sees: ({ set }) => set && creditWords(set.cost),
    isDocumented: (words) => words === creditWords(setCost),
    isHarmless: (_, { set }) => Number(set?.cost) < setCost,
  },
  {
    what: "the states of a job",
    document: statuses.join(", "),
    sees: ({ set }) => (set && set.states.length > 0 ? stateWords(set) : undefined),
    isDocumented: (_, { set }) =>
      statuses.length === 0 || set?.states.every(({ status }) => statuses.includes(status)) === true,
  },
  {
    what: "the fields of a slide",
    document: slides.length > 0 ? fieldsOf(slides) : "",
    sees: ({ set }) => set?.slides && fieldsOf(set.slides),
    isDocumented: (words) => slides.length === 0 || words === fieldsOf(slides),
    isHarmless: () => true,
    isGuessed: slides.length === 0,
  },
  {
    what: "the error of a failed job",
    document: "",
    sees: ({ set }) => set?.failure && fieldsOf([set.failure.error]),
    isDocumented: () => true,
    isGuessed: true,
  },
];

/** Each request once. */
export const asks: ReadonlySet<Ask> = new Set(questions.flatMap(({ asks }) => asks ?? []));

type AboutAnswer = Pick<Question, "what" | "document" | "isHarmless" | "isGuessed" | "records"> & {
  sees(answer: Answer, onMock: Answer | undefined): string;
  isDocumented?(answer: Answer | undefined): boolean;
};

/** A question about the answer to a request. */
function about(asks: Ask, { sees, isDocumented, ...question }: AboutAnswer): Question {
  return {
    ...question,
    asks,
    sees({ answers }, onMock) {
      const answer = answers.get(asks);
      return answer && sees(answer, onMock.answers.get(asks));
    },
    isDocumented: (words, { answers }) =>
      isDocumented ? isDocumented(answers.get(asks)) : words === question.document,
  };
}

/** A question about how something is refused; the document says only that it is. */
function refusal(asks: Ask, what: string, records: Question["records"] & object): Question {
  const sees = (answer: Answer) => (isAccepted(answer) ? `accepted: ${gaveOf(answer)}` : formOf(answer));
  const isDocumented = (answer?: Answer) => answer !== undefined && isRefused(answer);
  return about(asks, { what, document: "refused", sees, isDocumented, isGuessed: true, records });
}

export const isAccepted = ({ status = 0 }: Answer): boolean => status >= 200 && status < 300;

/** Whether an answer refuses, by its status. */
export const isRefused = ({ status = 0, isWhole }: Answer): boolean => isWhole && isRefusal(status);

/** Whether a status refuses what was asked. An outage and a limit of requests have other ones, which say nothing of it. */
export const isRefusal = (status: number): boolean =>
  status >= 400 && status < 500 && ![408, 421, 429].includes(status);

/** Whether a status may refuse the key, not what was asked with it. */
export const isOfKey = (status: number): boolean => status === 401 || status === 403;

function keyWords(answer: Answer): string {
  const isTaken = isRefused(answer) && !isOfKey(answer.status ?? 0);
  return isTaken || (isAccepted(answer) && answer.body.isJson) ? "accepted" : formOf(answer);
}

function creditWords(cost: unknown): string {
  return typeof cost === "number" ? plural(cost, "credit") : "not told";
}

/** The states in their order, and how long each took. */
function stateWords({ states }: SeenSet): string {
  return states
    .map(({ status, at }, index) => {
      const next = states[index + 1];
      return next ? `${status} (${((next.at - at) / 1000).toFixed(1)} s)` : status;
    })
    .join(", ");
}
