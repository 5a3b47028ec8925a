import type { State } from "../schemas.js";

let shown: Pick<State, "token" | "epoch"> = { token: "", epoch: 0 };

/** Sets the state that later calls refer to. The server detects if there was a reset, or if it runs another mock. */
export function askFor(state: State): void {
  shown = state;
}

/** Calls the control API. @throws an error with the reason why the server refused, or why there was no answer */
export async function call<Answer = unknown>(method: string, path: string, body?: object): Promise<Answer> {
  const isRead = method === "GET";
  const response = await fetch(`/_mock/${path}`, {
    method,
    headers: {
      "x-mock-token": shown.token,
      ...(isRead ? { "x-mock-epoch": String(shown.epoch) } : { "content-type": "application/json" }),
    },
    ...(!isRead && { body: JSON.stringify(body ?? {}) }),
  }).catch(() => {
    throw new Error("The mock does not answer. Is it still running?");
  });
  if (isRead && response.status === 204) throw new Error("The mock was reset meanwhile.");
  const text = await response.text();
  const answer = text === "" ? undefined : JSON.parse(text);
  if (response.ok) return answer;
  throw new Error(answer?.error?.message ?? `The mock answered ${response.status}.`);
}

const busy = new Set<Promise<unknown>>();

/** Reads with at most four requests at a time, so that a page full of jobs does not flood the server. */
export async function readInTurn<Answer>(path: string): Promise<Answer> {
  while (busy.size >= 4) await Promise.race(busy);
  const reading = call<Answer>("GET", path);
  const done = reading.catch(() => {}).finally(() => busy.delete(done));
  busy.add(done);
  return reading;
}

/** Reads for an effect: passes the answer on until the returned clean-up is called, and ignores failures. */
export function readForEffect<Answer>(path: string, take: (answer: Answer) => void): () => void {
  let isCurrent = true;
  readInTurn<Answer>(path).then(
    (answer) => isCurrent && take(answer),
    () => {},
  );
  return () => {
    isCurrent = false;
  };
}
