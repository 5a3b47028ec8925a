/**
 * Shows a person how far a set is. `GET /{jobId}` is the page, and `GET /{jobId}/events` is what it listens to until the
 * job has ended or the person has left. The handler works with `node:http` and with Express:
 * `app.use("/sets", createHandler(new ScreenshotSets(), maySee))`.
 */
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { JobTimeoutError, NotFoundError, type ScreenshotSets } from "screenshot-sets";

/** Whether the person who asks may see the job. Only you can tell: to the service, all jobs are your account's. */
type MaySee = (request: IncomingMessage, jobId: string) => boolean | Promise<boolean>;

const page = readFileSync(new URL("page.html", import.meta.url));
const noSuchSet = "There is no such set.";

export function createHandler(client: ScreenshotSets, maySee: MaySee) {
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

    const watch = async () => {
      const jobId = decodeURIComponent(id);
      if (!(await maySee(request, jobId))) return noSuchSet;
      for await (const { status, result } of client.watchJob(jobId, { signal: left.signal })) {
        response.write(`data: ${JSON.stringify({ status, slides: result?.slides })}\n\n`);
      }
      return undefined;
    };
    const message = await watch().catch((error) => (left.signal.aborted ? undefined : explain(error)));
    clearInterval(heartbeat);
    response.end(`event: end\ndata: ${JSON.stringify({ message })}\n\n`);
  };
}

/** What the person is told; the rest is for the operator. */
function explain(error: unknown): string {
  if (error instanceof NotFoundError || error instanceof URIError) return noSuchSet;
  if (error instanceof JobTimeoutError) return "This takes long. Reload the page to keep watching.";
  console.error(error);
  return "Something went wrong. Reload the page to try again.";
}
