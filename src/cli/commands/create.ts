import { type ClientOptions, devices } from "../../index.js";
import { readSeconds } from "../arguments.js";
import { defineCommand } from "../command.js";
import { type CreateParams, createParams, fieldNames } from "../create-params.js";
import { chargeText } from "../failure.js";
import { createResult, nameOf } from "../result.js";
import { runSession } from "../run-session.js";
import { type Result, type Session, sessionHelp, sessionOptions } from "../session.js";
import { reportChange, waitHelp, waitOptions } from "../waiting.js";

const synopsis = `Usage: screenshot-sets create (--ios-url URL | --android-url URL | --app-id ID) --device DEVICE [options]
Run screenshot-sets create --help for more.`;

const help = `Usage: screenshot-sets create (--ios-url URL | --android-url URL | --app-id ID) --device DEVICE [options]

Creates an app from its store listing, plans a screenshot set for it (10 credits) and waits for the result.

Options:
  --ios-url URL        the App Store listing
  --android-url URL    the Google Play listing, besides or instead
  --context TEXT       guidance for the service as it reads the listing
  --app-id ID          an app that was created before, instead of a listing
  --device DEVICE      ${devices.slice(0, 3).join(", ")},
                       ${devices.slice(3).join(", ")}
  --count N            how many slides
  --caption-style S    the voice of the captions
  --caption-length L   the length of the captions
  --narrative N        the slug of a narrative; the service then ignores --count
  --mock               run on the embedded mock, without a key or a network
${waitHelp}
${sessionHelp}

The key and the address come from SCREENSHOT_SETS_API_KEY and SCREENSHOT_SETS_BASE_URL.

Example:
  screenshot-sets create --mock --ios-url https://apps.apple.com/us/app/example/id1234567890 --device iphone-69
`;

const options = {
  "ios-url": { type: "string" },
  "android-url": { type: "string" },
  context: { type: "string" },
  "app-id": { type: "string" },
  device: { type: "string" },
  count: { type: "string" },
  "caption-style": { type: "string" },
  "caption-length": { type: "string" },
  narrative: { type: "string" },
  mock: { type: "boolean" },
  ...waitOptions,
  ...sessionOptions,
} as const;

/** `screenshot-sets create`. */
export const create = defineCommand({ synopsis, help, options }, async ({ flags }) => {
  const timeoutMs = readSeconds("--timeout", flags.timeout);
  const params = await createParams(flags);
  const mockOptions = flags.mock ? await embeddedMock() : undefined;
  return runSession({ flags, names: fieldNames, mockOptions }, (session) =>
    createSet(session, params, timeoutMs === undefined ? {} : { timeoutMs }),
  );
});

/** The mock is loaded only where it is asked for. */
async function embeddedMock(): Promise<ClientOptions> {
  const { createMock } = await import("../../mock/index.js");
  return createMock().clientOptions;
}

/** What is known is noted in the session at once, so that a failure can say it. */
async function createSet(
  session: Session,
  params: CreateParams,
  options: { timeoutMs?: number },
): Promise<Result> {
  const { client, progress, signal } = session;
  if (params.app) {
    progress.begin("Reading the listing");
    const app: object = await client.apps.create(params.app, { signal });
    session.app = app;
    progress.say(`App ${session.app.appId} was created: ${nameOf(session.app)}`);
  }
  progress.begin("Ordering the set");
  const job = await client.screenshots.createAndWait(params.set(session.app?.appId), {
    ...options,
    signal,
    onAccepted(accepted) {
      session.accepted = accepted;
      progress.say(`Job ${accepted.jobId} was accepted: ${chargeText(accepted.credits)}`);
      progress.begin(`Job ${accepted.jobId} is accepted`);
    },
    onUpdate: reportChange(progress),
  });
  return createResult(session.app, job);
}
