import type { Lifecycle } from "../mock/index.js";
import { UsageError } from "./usage-error.js";

/** A lifecycle as typed: `instant`, `manual`, `2p,3p` for polls or `2s,3s` for seconds. */
export function readLifecycle(text: string | undefined): Lifecycle | undefined {
  if (text === undefined || text === "instant" || text === "manual") return text;
  const inPolls = /^(\d{1,9})p,(\d{1,9})p$/.exec(text);
  if (inPolls) return { queued: Number(inPolls[1]), running: Number(inPolls[2]), unit: "polls" };
  const inSeconds = /^(\d{1,9}(?:\.\d+)?)s,(\d{1,9}(?:\.\d+)?)s$/.exec(text);
  if (inSeconds) {
    return { queued: Number(inSeconds[1]) * 1000, running: Number(inSeconds[2]) * 1000, unit: "ms" };
  }
  throw new UsageError(
    "Expected --lifecycle to be instant, manual, or how long jobs are queued and running: 2p,3p in polls or 2s,3s in seconds.",
  );
}
