import type { State } from "../schemas.js";

/** What a page knows about its mock. */
export interface Feed {
  state: State | undefined;
  isLive: boolean;
}

const name = "screenshot-sets-mock";

/** The delay before the stream is opened again after it was lost or not available, in milliseconds. */
const reopenMs = 500;

/**
 * Follows the state of the mock. A browser opens only six connections to a server, so one tab opens the stream and
 * passes it on to the others. When that tab is closed, the next one takes over.
 */
export function follow(onChange: (feed: Feed) => void): void {
  const channel = new BroadcastChannel(name);
  let last: Feed = { state: undefined, isLive: false };
  let leads = false;
  function take(feed: Feed): void {
    last = feed;
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
    // An `EventSource` itself reconnects only after a lost connection, not after an error answer, and at its own pace.
    source.close();
    setTimeout(() => openStream(take, state), reopenMs);
  });
}
