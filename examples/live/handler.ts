/**
 * Shows a person how far a set is. `GET /{jobId}` is the page, and `GET /{jobId}/events` is what it listens to until the
 * job has ended or the person has left. The handler works with `node:http` and with Express:
 * `app.use("/sets", createHandler(new ScreenshotSets(), maySee))`.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Job, NotFoundError, type ScreenshotSets } from "screenshot-sets";

/** Whether the person who asks may see the job. Only you can tell: to the service, all jobs are your account's. */
type MaySee = (request: IncomingMessage, jobId: string) => boolean | Promise<boolean>;

const page = readFileSync(new URL("page.html", import.meta.url));
const noSuchSet = "There is no such set.";

export function createHandler(client: ScreenshotSets, maySee: MaySee) {
  const watch = watchOnce(client);
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, id, events] = /^\/([^/?]+)(\/events)?(?:\?|$)/.exec(request.url ?? "") ?? [];
    if (id === undefined) return void response.writeHead(404).end(noSuchSet);
    if (!events) return void response.writeHead(200, { "content-type": "text/html" }).end(page);

    const left = new AbortController();
    response.once("close", () => left.abort());
    // Neither a proxy nor a middleware that compresses may hold events back, nor end a connection that is silent for long.
    const unheld = { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" };
    response.writeHead(200, { "content-type": "text/event-stream", ...unheld });
    const heartbeat = setInterval(() => response.write(":\n\n"), 15_000);

    const show = ({ status, result }: Job) =>
      void response.write(`data: ${JSON.stringify({ status, slides: result?.slides })}\n\n`);
    const showAll = async () => {
      const jobId = decodeURIComponent(id);
      if (!(await maySee(request, jobId))) return noSuchSet;
      await watch(jobId, show, left.signal);
      return undefined;
    };
    const message = await showAll().catch((error) => (left.signal.aborted ? undefined : explain(error)));
    clearInterval(heartbeat);
    response.end(`event: end\ndata: ${JSON.stringify({ message })}\n\n`);
  };
}

/** Watches each job once for all who look at it, from when the first one comes until the last one has left. */
function watchOnce(client: ScreenshotSets) {
  const watches = new Map<string, ReturnType<typeof begin>>();

  function begin(jobId: string) {
    const seen: { last?: Job } = {};
    const viewers = new Set<(job: Job) => void>();
    const allLeft = new AbortController();
    const handOn = async () => {
      // Without a deadline, since that of the first viewer would be the others', too.
      const options = { signal: allLeft.signal, timeoutMs: Number.POSITIVE_INFINITY };
      for await (const job of client.watchJob(jobId, options)) {
        seen.last = job;
        for (const show of viewers) show(job);
      }
    };
    return { seen, viewers, allLeft, end: handOn() };
  }

  return async (jobId: string, show: (job: Job) => void, left: AbortSignal): Promise<void> => {
    left.throwIfAborted();
    const watch = watches.get(jobId) ?? begin(jobId);
    watches.set(jobId, watch);
    watch.viewers.add(show);
    if (watch.seen.last) show(watch.seen.last);
    try {
      await Promise.race([watch.end, once(left, "abort")]);
    } finally {
      watch.viewers.delete(show);
      if (watch.viewers.size === 0) {
        watches.delete(jobId);
        watch.allLeft.abort();
      }
    }
  };
}

/** What the person is told; the rest is for the operator. */
function explain(error: unknown): string {
  if (error instanceof NotFoundError || error instanceof URIError) return noSuchSet;
  console.error(error);
  return "Something went wrong. Reload the page to try again.";
}
