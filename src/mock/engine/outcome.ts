import type { Guess } from "../service/guesses.js";
import type { Reply } from "../service/refusals.js";
import type { Answer } from "./call.js";

/** What a call comes to. */
export interface Outcome {
  answer: Answer;
  /** The guesses that can be seen in the answer. */
  guesses: Guess[];
  /** Whether a strict mock gives it all the same. */
  isExempt?: boolean;
}

/** A reply as the service gives it. */
export function whole(reply: Reply): Outcome {
  const { status, headers, body, guesses } = reply;
  return { answer: json(status, body, headers), guesses };
}

/** A reply whose body breaks off. */
export function truncated(reply: Reply): Outcome {
  const { status, headers, body, guesses } = reply;
  return { answer: { ...json(status, body, headers), kind: "truncated" }, guesses };
}

/** The page of some proxy in the place of a reply; of the reply, only its status is seen. */
export function malformed({ status, guesses }: Reply): Outcome {
  return {
    answer: { kind: "whole", status, headers: { "content-type": "text/html" }, body: page },
    guesses: guesses.filter((guess) => guess.startsWith("status.")),
  };
}

/** A body in JSON; none where there is nothing to say. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = body === undefined ? "" : JSON.stringify(body);
  return {
    kind: "whole" as const,
    status,
    headers: { "content-type": "application/json", ...headers },
    body: text,
  };
}

const page = "<!doctype html><title>Bad gateway</title><p>This is not the answer that was asked for.</p>\n";
