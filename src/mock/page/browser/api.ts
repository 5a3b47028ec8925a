import type { State } from "../schemas.js";

/** What the server said when it refused something, or why it could not be asked. */
export class Refused extends Error {}

let shown: Pick<State, "token" | "epoch"> = { token: "", epoch: 0 };

/** What is asked for next is meant for this state: another mock may have taken the place of the first, or a reset come. */
export function askFor(state: State): void {
  shown = state;
}

/** Asks the control API. @throws Refused */
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
    throw new Refused("The mock does not answer. Is it still running?");
  });
  if (isRead && response.status === 204) throw new Refused("The mock was reset meanwhile.");
  const text = await response.text();
  const answer = text === "" ? undefined : JSON.parse(text);
  if (response.ok) return answer;
  throw new Refused(answer?.error?.message ?? `The mock answered ${response.status}.`);
}

const busy = new Set<Promise<unknown>>();

/** Reads one after another where many are asked for at once, so that a page full of jobs floods nobody. */
export async function readInTurn<Answer>(path: string): Promise<Answer> {
  while (busy.size >= 4) await Promise.race(busy);
  const reading = call<Answer>("GET", path);
  const done = reading.catch(() => {}).finally(() => busy.delete(done));
  busy.add(done);
  return reading;
}
