import { type CreateAppParams, type CreateScreenshotsParams, setCost } from "../../index.js";
import type { Wanted } from "../batch-file.js";
import { defineCommand, readInteger, UsageError } from "../command.js";
import { type CreateParams, createParams, listingOptions, setOptions } from "../create-params.js";
import { printResume, resumeCommand } from "../failure.js";
import { refuseSameFiles } from "../out-file.js";
import { acceptedResult, chargeText, createResult, nameOf, type Result } from "../result.js";
import { environmentNote, readTimeout, runSession, waitOptions } from "../run-session.js";
import { batchOptions, runSets } from "../run-sets.js";
import type { Session, SessionFlags } from "../session.js";

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
    if (params.devices.length > 1 || flags.state !== undefined || maxCredits !== undefined) {
      const own = { ...flags, ...timeout, maxCredits };
      return runSession(flags, (session) => runSets(session, wantedOf(params), own));
    }
    return runSession(flags, async (session) => {
      const { client, live, progress, signal, onUpdate } = session;
      if (params.app) {
        progress.begin("Reading the listing");
        session.app = (await client.apps.create(params.app, { signal })) as object;
        live.say(`App ${session.app.appId} was created: ${nameOf(session.app)}`);
      }
      progress.begin("Ordering the set");
      if (flags["no-wait"]) return order(session, params.set(session.app?.appId), flags);
      const job = await client.screenshots.createAndWait(params.set(session.app?.appId), {
        signal,
        onUpdate,
        ...timeout,
        onAccepted(accepted) {
          session.accepted = accepted;
          live.say(`Job ${accepted.jobId} was accepted: ${chargeText(accepted.credits)}`);
          progress.begin(`Job ${accepted.jobId} is accepted`);
        },
      });
      return createResult(session.app, job);
    });
  },
);

/** Orders a set and does not wait for it. */
async function order(
  session: Session,
  params: CreateScreenshotsParams,
  flags: SessionFlags,
): Promise<Result> {
  const { client, live, signal } = session;
  const accepted = await client.screenshots.create(params, { signal });
  session.accepted = accepted;
  live.close();
  printResume("To get the result, run:", resumeCommand(accepted.jobId, { ...flags, out: undefined }), flags);
  return acceptedResult(session.app, accepted);
}

/** The sets of one command, with the names of their devices as keys. */
function wantedOf({ app, devices, set }: CreateParams): Wanted {
  const name = "listing";
  return {
    apps: new Map<string, CreateAppParams>(app ? [[name, app]] : []),
    sets: new Map(
      devices.map((device) => {
        const { appId, ...params } = set(undefined, device);
        return [device, app ? { app: name, params } : { params: { ...params, appId } }] as const;
      }),
    ),
  };
}
