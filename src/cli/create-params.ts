import { requestFields } from "../generated/values.js";
import type { CreateAppParams, CreateScreenshotsParams } from "../index.js";
import { createAppParams, createScreenshotsParams, type StandardSchema } from "../params.js";
import type { Issue } from "../schema/parse.js";
import { readInteger, UsageError } from "./command.js";
import { printableLine } from "./output.js";
import { refusedIssues } from "./run-session.js";
import type { Option } from "./usage.js";

/** Options that are fields of a request. */
type FieldOptions = Record<string, Option & { value: string; field: string }>;

/** The options that describe an app. */
export const listingOptions = explained("createApp", {
  "ios-url": { value: "URL", field: "iosUrl", help: "the App Store listing" },
  "android-url": { value: "URL", field: "androidUrl", help: "the Google Play listing, as well or instead" },
  context: {
    value: "TEXT",
    field: "extraContext",
    help: "guidance for the service when it reads the listing",
  },
});

/** The options that describe a set. */
export const setOptions = explained("createScreenshots", {
  "app-id": { value: "ID", field: "appId", help: "an existing app instead of a listing" },
  device: { value: "DEVICE", field: "device", several: true, help: "the device" },
  count: { value: "N", field: "count", help: "how many slides" },
  "caption-style": { value: "S", field: "captionStyle", help: "the voice of the captions" },
  "caption-length": { value: "L", field: "captionLength", help: "the length of the captions" },
  narrative: {
    value: "N",
    field: "narrativeId",
    help: "the slug of a narrative; the service then ignores --count",
  },
});

/** Adds the values, limits and default from the document to each option's help. */
function explained<Own extends FieldOptions>(operation: string, options: Own): Own {
  const entries = Object.entries(options).map(([name, option]) => {
    const { values, minimum, maximum, maxLength, ...rest } = requestFields[operation]?.[option.field] ?? {};
    const limits = [
      minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}`,
      maxLength !== undefined && `at most ${maxLength} characters`,
      rest.default !== undefined && `default ${rest.default}`,
    ].filter(Boolean);
    const listed = values ? `: ${values.join(", ")}` : "";
    const limited = limits.length > 0 ? ` (${limits.join(", ")})` : "";
    return [name, { ...option, help: printableLine(`${option.help}${listed}${limited}`) }];
  });
  return Object.fromEntries(entries);
}

/** The option on the command line for each field of the requests. */
const typedAs = Object.fromEntries(
  Object.entries({ ...listingOptions, ...setOptions }).map(([name, { field }]) => [field, `--${name}`]),
);

/** The parameters of the requests. */
export interface CreateParams {
  /** Undefined if an existing app is used. */
  app: CreateAppParams | undefined;
  /** A set for each device, if the document knows devices, without the id of an app that is created first. */
  sets: (Partial<CreateScreenshotsParams> & { device?: unknown })[];
}

/**
 * Reads the parameters of both requests and checks them before either is sent, so that an invalid set does not leave
 * behind an app that was paid for.
 *
 * @throws {UsageError} when an option is missing, wrong or in conflict with another
 */
export function createParams(flags: Record<string, unknown>): CreateParams {
  const listing = fieldsOf(flags, listingOptions);
  const set = fieldsOf(flags, setOptions);
  const isExisting = "appId" in set;
  if (!isExisting && !("iosUrl" in listing || "androidUrl" in listing)) {
    throw new UsageError("Expected --ios-url, --android-url or --app-id.");
  }
  const [conflicting] = isExisting ? Object.keys(listing) : [];
  if (conflicting !== undefined) {
    throw new UsageError(
      `Expected either --app-id or ${typedAs[conflicting]}: one uses an existing app, the other creates one.`,
    );
  }
  if ("count" in set) set.count = readInteger("--count", set.count as string);
  const { device = [], ...others } = set as { device?: string[] };
  const repeated = device.find((one, index) => device.indexOf(one) !== index);
  if (repeated !== undefined) throw new UsageError(`Expected --device ${repeated} once.`);
  const app = isExisting ? undefined : (listing as CreateAppParams);
  const devices = device.length > 0 ? device : [undefined];
  const sets = devices.map((one) => ({ ...others, device: one }) as Partial<CreateScreenshotsParams>);
  const issues = [
    ...(app ? issuesOf(createAppParams, app) : []),
    // The other sets would mostly have the same as the first that has any.
    ...(sets.map((one) => setIssues(one, app !== undefined)).find(({ length }) => length > 0) ?? []),
  ];
  if (issues.length > 0) throw refusedIssues(issues, typedAs);
  return { app, sets };
}

/** The fields given on the command line, by their names in the request. */
function fieldsOf(flags: Record<string, unknown>, options: FieldOptions): Record<string, unknown> {
  const fields = Object.entries(options).map(([name, { field }]) => [field, flags[name]]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** What is wrong with the parameters of a create, as its method would say. */
export function issuesOf(schema: StandardSchema<unknown>, params: unknown): Issue[] {
  const { issues = [] } = schema["~standard"].validate(params);
  return issues.map(({ path, message }) => ({ path: path.join("."), message }));
}

/** The same of a set, which has no `appId` yet if its app is created first. */
export function setIssues(params: Partial<CreateScreenshotsParams>, isAppCreated: boolean): Issue[] {
  return issuesOf(createScreenshotsParams, isAppCreated ? { ...params, appId: "created then" } : params);
}
