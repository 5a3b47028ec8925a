import { setCost } from "../../index.js";
import { defineCommand, readInteger, UsageError } from "../command.js";
import { createParams, listingOptions, setOptions } from "../create-params.js";
import { Destination } from "../out-file.js";
import { recordedIn } from "../recorded-file.js";
import { environmentNote, readTimeout, runSession, waitOptions } from "../run-session.js";
import { anyDevice } from "../verify/request.js";
import { Verification } from "../verify/verification.js";

const { "ios-url": iosUrl, "android-url": androidUrl } = listingOptions;
const { "app-id": appId } = setOptions;

/** `screenshot-sets verify`. */
export const verify = defineCommand(
  {
    name: "screenshot-sets verify",
    synopsis: "[--spend CREDITS (--app-id ID | --ios-url URL | --android-url URL)] [options]",
    about: `Asks the service what it refuses, and compares the answers with its document and with the mock. That is free.
With --spend, it also orders one set (${setCost} credits) and follows its job to the end.`,
    options: {
      spend: {
        value: "CREDITS",
        help: `order a set; at least the documented price, ${setCost}; a higher one is reported, not refused`,
      },
      "app-id": appId,
      "ios-url": iosUrl,
      "android-url": androidUrl,
      ...waitOptions,
      recorded: {
        value: "FILE",
        help: "compare with what was seen before, in a file that --out wrote, in place of the mock's guesses",
      },
      json: { help: "print the rows as JSON" },
      out: { value: "FILE", help: "write what was seen to a file, for `mock --recorded` and `createMock`" },
    },
    more: environmentNote,
    examples: [
      "verify --json",
      `verify --spend ${setCost} --app-id app_1 --out recorded.json`,
      "verify --recorded recorded.json",
    ],
  },
  async ({ flags }) => {
    const spend = readInteger("--spend", flags.spend, setCost);
    const { timeoutMs } = readTimeout(flags.timeout);
    const { "app-id": id, "ios-url": ios, "android-url": android } = flags;
    const listing = { "app-id": id, "ios-url": ios, "android-url": android };
    if (spend === undefined && Object.values(listing).some((value) => value !== undefined)) {
      throw new UsageError("Expected --spend beside --app-id, --ios-url or --android-url.");
    }
    const params = spend === undefined ? undefined : createParams({ ...listing, device: [anyDevice] });
    const recorded = await recordedIn(flags.recorded);
    const out = flags.out === undefined ? undefined : await Destination.of(flags.out);
    if (out && out.path === undefined)
      throw new UsageError("Expected --out to be a file: the table is on standard output.");
    const own = { ...flags, out: undefined };
    const options = { params, timeoutMs, recorded, out };
    return runSession(own, (session) => new Verification(session, options).result());
  },
);
