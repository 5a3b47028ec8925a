/**
 * A web service in front of the SDK: it accepts a set immediately, and its clients come back for the job's status. Which
 * client may see which job is for you to check, as in `examples/live`. The handler works with `node:http` and with Express:
 * `app.use("/sets", createHandler(new ScreenshotSets()))`.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import {
  ApiError,
  InvalidRequestError,
  NotFoundError,
  PaymentRequiredError,
  type ScreenshotSets,
  ScreenshotSetsError,
} from "screenshot-sets";
import { createAppParams, createScreenshotsParams } from "screenshot-sets/schema";

interface Reply {
  status: number;
  body: unknown;
}

/** Serves `POST /` with `{ iosUrl, androidUrl, device }`, and `GET /{jobId}`. */
export function createHandler(client: ScreenshotSets) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const reply = await answer(client, request).catch(explain);
    response.writeHead(reply.status, { "content-type": "application/json" });
    response.end(JSON.stringify(reply.body));
  };
}

async function answer(client: ScreenshotSets, request: IncomingMessage): Promise<Reply> {
  if (request.method === "POST") {
    const { iosUrl, androidUrl, device } = Object(await json(request));
    const listing = { iosUrl, androidUrl };
    // Checked before the app is created, which a later service may charge for.
    const set = { appId: "of the app that is created then", device };
    const checks = [
      createAppParams["~standard"].validate(listing),
      createScreenshotsParams["~standard"].validate(set),
    ];
    const issues = checks.flatMap((check) => check.issues ?? []);
    if (issues.length > 0) return { status: 400, body: { issues } };
    const { appId } = await client.apps.create(listing);
    const { jobId, credits } = await client.screenshots.create({ appId, device });
    return { status: 202, body: { jobId, creditsLeft: credits.remaining } };
  }
  const jobId = decodeURIComponent(request.url?.slice(1) ?? ""); // throws a URIError for `%`
  const job = await client.jobs.get(jobId);
  return { status: 200, body: { status: job.status, slides: job.result?.slides } };
}

/** Tells the caller about the caller's own mistakes, and logs everything else for the operator. */
function explain(error: unknown): Reply {
  if (error instanceof SyntaxError) return { status: 400, body: { message: "Expected JSON" } };
  if (error instanceof NotFoundError || error instanceof InvalidRequestError || error instanceof URIError)
    return { status: 404, body: { message: "No such job" } };
  if (error instanceof ScreenshotSetsError) {
    const requestId = error instanceof ApiError ? error.requestId : undefined;
    console.error(error.message, { charged: error.charged, jobId: error.jobId, requestId });
    // The caller can do nothing about spent credits or a revoked key.
    if (error instanceof PaymentRequiredError)
      return { status: 503, body: { message: "Sold out this month" } };
    // Another order could be paid twice.
    if (error.charged === "maybe")
      return { status: 500, body: { message: "It may be ordered. Please ask us first" } };
    return { status: 502, body: { message: "Try again later" } };
  }
  console.error(error);
  return { status: 500, body: { message: "Something went wrong" } };
}
