import { useEffect, useState } from "preact/hooks";

let token = "";

/** Sets the token of later calls. After a restart, the server has another one. */
export function setToken(current: string): void {
  token = current;
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
  answer?: Answer;
  problem?: string;
}

/**
 * Reads from the control API, and again when the path or `version` changes. Until then, and while reads fail, the
 * earlier answer stays.
 *
 * @param path undefined to read nothing
 */
export function useRead<Answer>(path: string | undefined, version: unknown): Read<Answer> {
  const [read, setRead] = useState<Read<Answer>>({});
  useEffect(() => {
    if (path === undefined) return;
    let isCurrent = true;
    call<Answer>("GET", path).then(
      (answer) => isCurrent && setRead({ answer }),
      ({ message }) => isCurrent && setRead((before) => ({ ...before, problem: message })),
    );
    return () => {
      isCurrent = false;
    };
  }, [path, version]);
  return read;
}
