import type { Lifecycle } from "./service/lifecycle.js";

/** Formats a lifecycle as users type it: `instant`, `manual`, `2p,3p` for polls or `2s,3s` for seconds. */
export function lifecycleWords(lifecycle: Lifecycle): string {
  if (typeof lifecycle === "string") return lifecycle;
  const { queued, running, unit } = lifecycle;
  return unit === "polls" ? `${queued}p,${running}p` : `${queued / 1000}s,${running / 1000}s`;
}

/** @throws RangeError if the text is not a lifecycle */
export function readLifecycle(text: string): Lifecycle {
  if (text === "instant" || text === "manual" || text === "recorded") return text;
  const [, queued, running] = /^(\d{1,9})p,(\d{1,9})p$/.exec(text) ?? [];
  if (queued) return { queued: Number(queued), running: Number(running), unit: "polls" };
  const [, queuedS, runningS] = /^(\d{1,9}(?:\.\d+)?)s,(\d{1,9}(?:\.\d+)?)s$/.exec(text) ?? [];
  if (queuedS) return { queued: Number(queuedS) * 1000, running: Number(runningS) * 1000, unit: "ms" };
  throw new RangeError(
    "Expected `lifecycle` to be instant, manual, or how long jobs are queued and running: 2p,3p in polls or 2s,3s in seconds",
  );
}
