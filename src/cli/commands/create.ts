import { type CreateScreenshotsParams, setCost } from "../../index.js";
import type { Wanted } from "../batch-file.js";
import { defineCommand, readInteger, UsageError } from "../command.js";
import { type CreateParams, createParams, listingOptions, setOptions } from "../create-params.js";
import { refuseSameFiles } from "../out-file.js";
import { acceptedResult, createResult } from "../result.js";
import { environmentNote, readTimeout, runSession, waitOptions } from "../run-session.js";
import { batchOptions, runSets } from "../run-sets.js";

/** `screenshot-sets create`. */
export const create = defineCommand(
  {
    name: "screenshot-sets create",
    synopsis: "(--ios-url URL | --android-url URL | --app-id ID) --device DEVICE [--device ...] [options]",
    about: `Creates an app from its store listing, plans a screenshot set for it (${setCost} credits) and waits for the result.
With several devices, plans a set for each, and prints a line for each.`,
    options: {
      ...listingOptions,
      ...setOptions,
      mock: { help: "run on the embedded mock, without a key or a network" },
      "no-wait": { help: "end once the job is accepted, and print it" },
      ...batchOptions,
      ...waitOptions,
    },
    more: environmentNote,
    examples: [
      "create --mock --ios-url https://apps.apple.com/us/app/example/id1234567890 --device iphone-69",
    ],
  },
  async ({ flags }) => {
    const timeout = readTimeout(flags.timeout);
    if (flags["no-wait"] && flags.timeout !== undefined) {
      throw new UsageError("Expected either --no-wait or --timeout.");
    }
    const maxCredits = readInteger("--max-credits", flags["max-credits"], 0);
    const params = createParams(flags);
    await refuseSameFiles({ state: flags.state, out: flags.out });
    if (params.sets.length > 1 || flags.state !== undefined || maxCredits !== undefined) {
      const own = { ...flags, ...timeout, maxCredits };
      return runSession(flags, (session) => runSets(session, wantedOf(params), own));
    }
    return runSession(flags, async (session) => {
      const { client, signal, onUpdate } = session;
      if (params.app) {
        session.begin("Reading the listing");
        session.created(await client.apps.create(params.app, { signal }));
      }
      const created = session.app && { appId: session.app.appId };
      const set = { ...params.sets[0], ...created } as CreateScreenshotsParams;
      session.begin("Ordering the set");
      if (flags["no-wait"]) {
        const accepted = await client.screenshots.create(set, { signal });
        session.accepted = accepted;
        session.isCharged = true;
        session.leftJob = accepted.jobId;
        return acceptedResult(session.app, accepted);
      }
      const job = await client.screenshots.createAndWait(set, {
        signal,
        onUpdate,
        ...timeout,
        onAccepted: (accepted) => session.paid(accepted),
      });
      return createResult(session.app, job);
    });
  },
);

/** The sets of one command, with the names of their devices as keys. */
function wantedOf({ app, sets }: CreateParams): Wanted {
  const name = "listing";
  const appOf = app && { app: name };
  return {
    apps: new Map(app && [[name, app]]),
    sets: new Map(sets.map((params) => [params.device as string, { ...appOf, params }])),
  };
}
