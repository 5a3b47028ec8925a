import {
  type CreateAppParams,
  type CreateScreenshotsParams,
  InvalidRequestError,
  ScreenshotSets,
} from "../index.js";
import { readInteger } from "./arguments.js";
import { refusedIssues, UsageError } from "./usage-error.js";

/** What was typed of an app and a set. */
export interface CreateFlags {
  "ios-url"?: string;
  "android-url"?: string;
  context?: string;
  "app-id"?: string;
  device?: string;
  count?: string;
  "caption-style"?: string;
  "caption-length"?: string;
  narrative?: string;
}

/** What the fields of the two requests are called on the command line. */
export const fieldNames: Record<string, string> = {
  iosUrl: "--ios-url",
  androidUrl: "--android-url",
  extraContext: "--context",
  appId: "--app-id",
  device: "--device",
  count: "--count",
  captionStyle: "--caption-style",
  captionLength: "--caption-length",
  narrativeId: "--narrative",
};

/** What to send: the app is created unless its id is known. */
export interface CreateParams {
  app: CreateAppParams | undefined;
  /** @param appId of the app that was created; else the one that was typed */
  set(appId: unknown): CreateScreenshotsParams;
}

/**
 * What was typed as the two requests' parameters, both checked: a set that would be refused must not leave an app
 * behind that was paid for.
 *
 * @throws {UsageError} when an option is missing, wrong or at odds with another
 */
export async function createParams(flags: CreateFlags): Promise<CreateParams> {
  const listing = given({
    iosUrl: flags["ios-url"],
    androidUrl: flags["android-url"],
    extraContext: flags.context,
  });
  const appId = flags["app-id"];
  if (appId === undefined && flags["ios-url"] === undefined && flags["android-url"] === undefined) {
    throw new UsageError("Expected --ios-url, --android-url or --app-id.");
  }
  if (appId !== undefined && Object.keys(listing).length > 0) {
    const [name] = Object.keys(listing);
    throw new UsageError(
      `Expected either --app-id or ${fieldNames[name as string]}: an app is created, or it is there.`,
    );
  }
  const set = given({
    device: flags.device,
    count: readInteger("--count", flags.count),
    captionStyle: flags["caption-style"],
    captionLength: flags["caption-length"],
    narrativeId: flags.narrative,
  });
  const params: CreateParams = {
    app: appId === undefined ? (listing as CreateAppParams) : undefined,
    set: (createdId) => ({ appId: createdId ?? appId, ...set }) as object as CreateScreenshotsParams,
  };
  const issues = await issuesOf(params);
  if (issues.length > 0) throw refusedIssues(issues, fieldNames);
  return params;
}

function given(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

type Issues = InvalidRequestError["issues"];

/** Asks a client whose requests go nowhere: what breaks the document's constraints does not even get that far. */
async function issuesOf({ app, set }: CreateParams): Promise<Issues> {
  const nowhere = new ScreenshotSets({
    apiKey: "none",
    baseUrl: "http://localhost",
    maxRetries: 0,
    fetch: () => Promise.reject(new Error("Nothing is sent.")),
  });
  const checks = [
    ...(app ? [nowhere.apps.create(app)] : []),
    nowhere.screenshots.create(set(app && "created then")),
  ];
  const outcomes = await Promise.allSettled(checks);
  return outcomes.flatMap((outcome) =>
    outcome.status === "rejected" && outcome.reason instanceof InvalidRequestError
      ? outcome.reason.issues
      : [],
  );
}
