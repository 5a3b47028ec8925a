import {
  type CreateAppParams,
  type CreateScreenshotsParams,
  InvalidRequestError,
  ScreenshotSets,
} from "../index.js";
import { readInteger, UsageError } from "./command.js";
import { refusedIssues, typedAs } from "./session.js";

/** The parameters of the two requests. */
export interface CreateParams {
  /** Of the app, unless an existing one is used. */
  app: CreateAppParams | undefined;
  /** @param appId of the app that was created; otherwise the one that was typed */
  set(appId: unknown): CreateScreenshotsParams;
}

/**
 * Reads the parameters of both requests and checks them before either is sent: a set that is refused must not leave
 * behind an app that was paid for.
 *
 * @throws {UsageError} when an option is missing, wrong or in conflict with another
 */
export async function createParams(flags: Record<string, unknown>): Promise<CreateParams> {
  const listing = fieldsOf(flags, ["iosUrl", "androidUrl", "extraContext"]);
  const set = fieldsOf(flags, ["device", "count", "captionStyle", "captionLength", "narrativeId"]);
  const appId = flags["app-id"];
  if (appId === undefined && !("iosUrl" in listing || "androidUrl" in listing)) {
    throw new UsageError("Expected --ios-url, --android-url or --app-id.");
  }
  const [conflicting] = appId === undefined ? [] : Object.keys(listing);
  if (conflicting !== undefined) {
    throw new UsageError(
      `Expected either --app-id or ${typedAs[conflicting]}: one uses an existing app, the other creates one.`,
    );
  }
  if ("count" in set) set.count = readInteger("--count", set.count as string);
  const params: CreateParams = {
    app: appId === undefined ? (listing as CreateAppParams) : undefined,
    set: (createdId) => ({ appId: createdId ?? appId, ...set }) as object as CreateScreenshotsParams,
  };
  const issues = await issuesOf(params);
  if (issues.length > 0) throw refusedIssues(issues);
  return params;
}

/** The fields that were typed, by their names in the request. */
function fieldsOf(flags: Record<string, unknown>, names: string[]): Record<string, unknown> {
  const fields = names.map((name) => [name, flags[(typedAs[name] as string).slice("--".length)]]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** Asks a client that can send nothing: it refuses whatever breaks the document's constraints. */
async function issuesOf({ app, set }: CreateParams): Promise<InvalidRequestError["issues"]> {
  const client = new ScreenshotSets({
    apiKey: "none",
    baseUrl: "http://localhost",
    maxRetries: 0,
    fetch: () => Promise.reject(new Error("Nothing is sent.")),
  });
  const outcomes = await Promise.allSettled([
    app && client.apps.create(app),
    client.screenshots.create(set(app && "created then")),
  ]);
  const reasons = outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason : undefined));
  return reasons.flatMap((reason) => (reason instanceof InvalidRequestError ? reason.issues : []));
}
