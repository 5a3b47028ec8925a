import { parseArgs } from "node:util";
import {
  type ClientOptions,
  type CreateAppParams,
  type CreateScreenshotsParams,
  ScreenshotSets,
} from "../index.js";
import { exitCodeOf } from "./exit-code.js";
import { resultText } from "./result.js";
import { UsageError } from "./usage-error.js";

const usage = `Usage: screenshot-sets create (--ios-url URL | --android-url URL | --app-id ID) --device DEVICE [options]

Creates an app from its store listing, plans a screenshot set for it (10 credits) and waits for the result.

Options:
  --ios-url URL        the App Store listing
  --android-url URL    the Google Play listing
  --context TEXT       guidance for the texts
  --app-id ID          an app that was created before, instead of a listing
  --device DEVICE      what the screenshots are for
  --count N            how many slides
  --caption-style S    the voice of the captions
  --caption-length L   the length of the captions
  --narrative N        the slug of a narrative; overrides --count
  --mock               run on the embedded mock, without a key or a network
  --help               show this help

The key and the address come from SCREENSHOT_SETS_API_KEY and SCREENSHOT_SETS_BASE_URL.

Example:
  screenshot-sets create --mock --ios-url https://apps.apple.com/app/id1 --device iphone-69
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
  help: { type: "boolean" },
} as const;

/** @returns the exit code */
export async function create(args: string[]): Promise<number> {
  const flags = parsed(args);
  if (flags.help) {
    process.stdout.write(usage);
    return 0;
  }
  try {
    const client = new ScreenshotSets(flags.mock ? await mockOptions() : {});
    const say = (text: string) => process.stderr.write(`${text}\n`);
    const app = flags["app-id"] === undefined ? await client.apps.create(appParams(flags)) : undefined;
    if (app) say(`Created app ${app.appId}: ${app.name}`);
    const set = setParams(flags, app?.appId ?? (flags["app-id"] as string));
    const job = await client.screenshots.createAndWait(set, {
      onAccepted: ({ jobId, credits }) => say(`Accepted job ${jobId} for ${credits.cost} credits`),
      onUpdate: ({ status }) => say(`Job is ${status}`),
    });
    process.stdout.write(resultText(app, job));
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return exitCodeOf(error);
  }
}

type Flags = ReturnType<typeof parsed>;

function parsed(args: string[]) {
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), usage);
  }
}

/** The mock is loaded only where it is asked for. */
async function mockOptions(): Promise<ClientOptions> {
  const { createMock } = await import("../mock/index.js");
  return createMock().clientOptions;
}

/** Checked by the client, against the document. */
function appParams(flags: Flags): CreateAppParams {
  return given({
    iosUrl: flags["ios-url"],
    androidUrl: flags["android-url"],
    extraContext: flags.context,
  }) as CreateAppParams;
}

function setParams(flags: Flags, appId: string): CreateScreenshotsParams {
  return given({
    appId,
    device: flags.device,
    count: flags.count === undefined ? undefined : Number(flags.count),
    captionStyle: flags["caption-style"],
    captionLength: flags["caption-length"],
    narrativeId: flags.narrative,
  }) as CreateScreenshotsParams;
}

function given(fields: Record<string, unknown>): unknown {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
