import { defaultCount } from "../../generated/values.js";
import type { Job } from "../../index.js";
import { endOf } from "../../job-end.js";
import type { Recorded, RecordedRefusal } from "../../mock/index.js";
import type { Observation } from "./observation.js";
import { requests, type TestRequest } from "./request.js";

/** What was observed of the service, in the form that the mock takes. What is undefined is not written. */
export function recordingOf({ answers, set, cost, states, job, slides, failure }: Observation): Recorded {
  const refusal = (request: TestRequest, isAboutKey = false): RecordedRefusal | undefined => {
    const answer = answers.get(request);
    if (answer?.meaning !== "refused" && !(isAboutKey && answer?.meaning === "about the key"))
      return undefined;
    const { status, isJson, value, isTooDeep } = answer;
    return { status: status as number, ...(!isTooDeep && { [isJson ? "body" : "text"]: value }) };
  };
  // The key is looked at before the operation.
  const ofKey = { missingKey: refusal(requests.noKey, true), wrongKey: refusal(requests.wrongKey, true) };
  const isPrice = typeof cost === "number" && cost >= 0 && cost <= 1e9;
  const hasEnded = job !== undefined && endOf(job.value as Job) !== undefined;
  const invalidSet = refusal(requests.emptySet);
  const recordedSet = {
    cost: isPrice ? cost : undefined,
    count: defaultCount,
    states: hasEnded ? states.map(({ status }) => status) : undefined,
    slides,
    ...failure,
  };
  return {
    version: 1,
    refusals: {
      createApp: { ...ofKey, invalidRequest: refusal(requests.emptyApp) },
      createScreenshots: { ...ofKey, invalidRequest: invalidSet, notFound: refusal(requests.unknownApp) },
      getJob: { ...ofKey, notFound: refusal(requests.unknownJob) },
    },
    set: set?.meaning === "accepted" ? recordedSet : undefined,
  };
}
