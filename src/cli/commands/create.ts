import { defineCommand } from "../command.js";
import { createParams, listingOptions, setOptions } from "../create-params.js";
import { chargeText, createResult, nameOf } from "../result.js";
import { environmentNote, readTimeout, runSession, waitOptions } from "../run-session.js";

/** `screenshot-sets create`. */
export const create = defineCommand(
  {
    name: "screenshot-sets create",
    synopsis: "(--ios-url URL | --android-url URL | --app-id ID) --device DEVICE [options]",
    about:
      "Creates an app from its store listing, plans a screenshot set for it (10 credits) and waits for the result.",
    options: {
      ...listingOptions,
      ...setOptions,
      mock: { help: "run on the embedded mock, without a key or a network" },
      ...waitOptions,
    },
    more: environmentNote,
    examples: [
      "create --mock --ios-url https://apps.apple.com/us/app/example/id1234567890 --device iphone-69",
    ],
  },
  async ({ flags }) => {
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
  },
);
