import { defaultCount } from "../../generated/values.js";
import type {
  OperationName,
  Recorded,
  RecordedRefusal,
  RecordedRefusals,
  RecordedSet,
} from "../../mock/index.js";
import type { Answer } from "./ask.js";
import { isOfKey, isRefusal, questions } from "./questions.js";
import type { Seen, SeenSet } from "./seen.js";

/** What was seen of the service, in the form that the mock takes. */
export function recordingOf({ answers, set }: Seen): Recorded {
  const refusals: Partial<Record<OperationName, RecordedRefusals>> = {};
  for (const { asks, records = {} } of questions) {
    const seen = asks && refusalIn(answers.get(asks));
    if (seen === undefined) continue;
    for (const [operation, reason] of Object.entries(records)) {
      if (isOfKey(seen.status) && reason !== "missingKey" && reason !== "wrongKey") continue;
      refusals[operation as OperationName] = { ...refusals[operation as OperationName], [reason]: seen };
    }
  }
  return { version: 1, refusals, ...(set && { set: recordedSet(set) }) };
}

function refusalIn(answer: Answer | undefined): RecordedRefusal | undefined {
  const { status = 0, isWhole, body } = answer ?? {};
  if (!isRefusal(status)) return undefined;
  if (!isWhole || !body || body.text === "") return { status };
  return { status, ...(body.isJson ? { body: body.value } : { text: body.text }) };
}

function recordedSet({ cost, states, slides, failure, hasEnded }: SeenSet): RecordedSet {
  return {
    ...(typeof cost === "number" && cost >= 0 && cost <= 1e9 && { cost }),
    count: defaultCount,
    ...(hasEnded && { states: states.map(({ status }) => status) }),
    ...(slides && { slides }),
    ...failure,
  };
}
