import { useContext, useEffect, useState } from "preact/hooks";
import type { State } from "../schemas.js";
import { EraContext } from "./page-context.js";

let token = "";

/** Sets the state that later calls refer to. After a restart, the server has another token. */
export function askFor(state: State): void {
  token = state.token;
}

/** Calls the control API. @throws an error with the reason why the server refused, or why there was no answer */
export async function call<Answer = unknown>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`/_mock/${path}`, {
    method,
    headers: { "x-mock-token": token, "content-type": "application/json" },
    ...(method !== "GET" && { body: JSON.stringify(body ?? {}) }),
  }).catch(() => {
    throw new Error("The mock does not answer. Is it still running?");
  });
  const text = await response.text();
  const answer = text === "" ? undefined : JSON.parse(text);
  if (response.ok) return answer;
  throw new Error(answer?.error?.message ?? `The mock answered ${response.status}.`);
}

/** What a read has brought so far. */
interface Read<Answer> {
  era: string;
  answer?: Answer;
  problem?: string | undefined;
}

/**
 * Reads from the control API, and again when the path or `version` changes. Until then, and while reads fail, the
 * earlier answer stays, but not after a reset.
 *
 * @param path undefined to read nothing
 */
export function useRead<Answer>(path: string | undefined, version?: unknown): Omit<Read<Answer>, "era"> {
  const era = useContext(EraContext);
  const [read, setRead] = useState<Read<Answer>>({ era });
  useEffect(() => {
    if (path === undefined) return;
    let isCurrent = true;
    const take = (next: Omit<Read<Answer>, "era">) =>
      isCurrent && setRead((before) => ({ ...(before.era === era && before), ...next, era }));
    call<Answer>("GET", path).then(
      (answer) => take({ answer, problem: undefined }),
      ({ message }) => take({ problem: message }),
    );
    return () => {
      isCurrent = false;
    };
  }, [path, version, era]);
  return read.era === era ? read : {};
}
