import type { State } from "../schemas.js";
import { shared } from "./shared.js";

/** What a page knows of its mock. */
export interface Feed {
  state: State | undefined;
  isLive: boolean;
}

const name = "screenshot-sets-mock";

/** After how many milliseconds a server is asked again whose stream was lost, or that had none. */
const reopenMs = 500;

/**
 * Follows the state of the mock. A browser opens six connections to a server: one tab has the stream, the others hear of
 * it, and when it is closed, the next one takes its place.
 */
export function follow(onChange: (feed: Feed) => void): void {
  const channel = new BroadcastChannel(name);
  let last: Feed = { state: undefined, isLive: false };
  let leads = false;
  function take({ state, isLive }: Feed): void {
    last = { state: state && shared(last.state, state), isLive };
    onChange(last);
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
  // Only a secure context has locks; this machine is one by any of its names.
  if (navigator.locks) navigator.locks.request(name, lead);
  else lead();
}

function openStream(take: (feed: Feed) => void, last?: State): void {
  let state = last;
  const source = new EventSource("/_mock/events");
  source.addEventListener("state", ({ data }) => {
    state = JSON.parse(data);
    take({ state, isLive: true });
  });
  source.addEventListener("error", () => {
    take({ state, isLive: false });
    // By itself it comes back after a lost connection only, at a pace of the browser's, and not after another answer.
    source.close();
    setTimeout(() => openStream(take, state), reopenMs);
  });
}
