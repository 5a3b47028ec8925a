import { useEffect, useState } from "preact/hooks";
import type { State } from "../schemas.js";

/** The token of the server, from its last state. After a restart, the server has another one. */
let token = "";

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

/** What the page knows about its mock. */
export interface Feed {
  state: State | undefined;
  isLive: boolean;
}

/** The name of what the tabs of a mock share. */
const shared = "screenshot-sets-mock";

/**
 * Follows the state of the mock. A browser opens only six connections to a server, so one tab opens the stream and
 * passes it on to the others. When that tab is closed, the next one takes over.
 */
export function follow(onChange: (feed: Feed) => void): void {
  const channel = new BroadcastChannel(shared);
  let last: Feed = { state: undefined, isLive: false };
  let leads = false;

  function take(feed: Feed): void {
    last = feed;
    token = feed.state?.token ?? token;
    onChange(feed);
  }

  function lead(): Promise<never> {
    leads = true;
    openStream((feed) => {
      take(feed);
      channel.postMessage(feed);
    });
    return new Promise(() => {});
  }

  channel.onmessage = ({ data }: MessageEvent<Feed | "hello">) => {
    if (data !== "hello") take(data);
    else if (leads && last.state) channel.postMessage(last);
  };
  channel.postMessage("hello");
  // Only secure contexts have locks. This machine is one under any of its names.
  if (navigator.locks) navigator.locks.request(shared, lead);
  else lead();
}

/** The delay before the stream is opened again after it was lost or not available, in milliseconds. */
const reopenMs = 500;

function openStream(take: (feed: Feed) => void, last?: State): void {
  let state = last;
  const source = new EventSource("/_mock/events");
  source.addEventListener("state", ({ data }) => {
    state = JSON.parse(data);
    take({ state, isLive: true });
  });
  source.addEventListener("error", () => {
    take({ state, isLive: false });
    // An `EventSource` itself reconnects only after a lost connection, not after an error answer, and at its own pace.
    source.close();
    setTimeout(() => openStream(take, state), reopenMs);
  });
}
