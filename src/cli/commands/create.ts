import { devices } from "../../index.js";
import { defineCommand, readTimeout } from "../command.js";
import { createParams } from "../create-params.js";
import { chargeText, createResult, nameOf } from "../result.js";
import { runSession } from "../run-session.js";
import { waitHelp, waitOptions } from "../session.js";

const help = `Usage: screenshot-sets create (--ios-url URL | --android-url URL | --app-id ID) --device DEVICE [options]

Creates an app from its store listing, plans a screenshot set for it (10 credits) and waits for the result.

Options:
  --ios-url URL        the App Store listing
  --android-url URL    the Google Play listing, as well or instead
  --context TEXT       guidance for the service when it reads the listing
  --app-id ID          an existing app instead of a listing
  --device DEVICE      ${devices.slice(0, 3).join(", ")},
                       ${devices.slice(3).join(", ")}
  --count N            how many slides
  --caption-style S    the voice of the captions
  --caption-length L   the length of the captions
  --narrative N        the slug of a narrative; the service then ignores --count
  --mock               run on the embedded mock, without a key or a network
${waitHelp}

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
} as const;

/** `screenshot-sets create`. */
export const create = defineCommand({ help, options }, async ({ flags }) => {
  const timeout = readTimeout(flags.timeout);
  const params = await createParams(flags);
  return runSession(flags, async (session) => {
    const { client, progress, signal, onUpdate } = session;
    if (params.app) {
      progress.begin("Reading the listing");
      session.app = (await client.apps.create(params.app, { signal })) as object;
      progress.say(`App ${session.app.appId} was created: ${nameOf(session.app)}`);
    }
    progress.begin("Ordering the set");
    const job = await client.screenshots.createAndWait(params.set(session.app?.appId), {
      signal,
      onUpdate,
      ...timeout,
      onAccepted(accepted) {
        session.accepted = accepted;
        progress.say(`Job ${accepted.jobId} was accepted: ${chargeText(accepted.credits)}`);
        progress.begin(`Job ${accepted.jobId} is accepted`);
      },
    });
    return createResult(session.app, job);
  });
});
