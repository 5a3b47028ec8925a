import { jobIdOf } from "../../request/answer-body.js";
import { failureLine } from "../failure.js";
import type { Session } from "../session.js";
import { type Answer, type Ask, ask, type Party } from "./ask.js";
import { asks, isAccepted, isRefused, questions } from "./questions.js";
import type { Seen } from "./seen.js";
import { gaveOf } from "./words.js";

/** Something that kept the service from being seen as a whole, or that should not have been accepted. */
export interface Trouble {
  line: string;
  isCharged: boolean;
  /** The job that can be waited for. */
  jobId?: string | undefined;
}

/**
 * Asks what is to be refused: first what only reads, then the creates, one after another. None is sent to what is not the
 * service or refuses the key, nor after one that was not certainly refused.
 *
 * @returns "all refused" if a set may be ordered; "no service" if nothing was seen that is worth a recording
 */
export async function askAll(
  seen: Seen,
  service: Party,
  isSpent: boolean,
  session: Session,
  tell: (trouble: Trouble) => void,
): Promise<"no service" | "not all refused" | "all refused"> {
  const wanted = [...asks].filter(({ needsSpend }) => isSpent || !needsSpend);
  const askOne = async (asked: Ask) => {
    const answer = await ask(service, asked);
    seen.answers.set(asked, answer);
    return answer;
  };
  const reads = await Promise.all(wanted.filter(({ method }) => method === "GET").map(askOne));
  if (!reads.some((answer) => isRefused(answer) || (isAccepted(answer) && answer.body.isJson))) {
    const { error } = reads.find(({ error }) => error !== undefined) ?? {};
    const line = "No answer is one of the service's. Check SCREENSHOT_SETS_BASE_URL.";
    tell({ line: error ? failureLine(error, session) : line, isCharged: false });
    return "no service";
  }
  const refused = [...seen.answers].find(
    ([{ key }, { status }]) => key === "authorization" && status === 401,
  );
  if (refused) {
    tell({ line: failureLine(refused[1].error, session), isCharged: false });
    return "no service";
  }
  for (const asked of wanted.filter(({ method }) => method !== "GET")) {
    const answer = await askOne(asked);
    const trouble = troubleIn(answer, asked);
    if (trouble) tell(trouble);
    if (!isRefused(answer)) return "not all refused";
  }
  return "all refused";
}

/** What is wrong with the answer to a create that is to be refused. */
function troubleIn(answer: Answer, asked: Ask): Trouble | undefined {
  const { body, error } = answer;
  const { what } = questions.find(({ asks }) => asks === asked) ?? {};
  const jobId = error?.jobId ?? jobIdOf(body);
  const gave = gaveOf(answer);
  const isCharged = isAccepted(answer) || (error !== undefined && error.charged !== "no");
  if (isAccepted(answer))
    return { line: `Against the rules, ${what} was accepted: ${gave}`, isCharged, jobId };
  if (isRefused(answer)) return undefined;
  const isDoubtful = isCharged && (answer.status ?? 0) >= 400;
  const doubt = `It is not certain that ${what} was refused, so check the credits: ${gave}`;
  return { line: isDoubtful ? doubt : (error?.message ?? `Got ${gave}`), isCharged, jobId };
}
