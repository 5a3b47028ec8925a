import { readFile } from "node:fs/promises";
import { requestFields } from "../generated/values.js";
import type { CreateAppParams, CreateScreenshotsParams, InvalidRequestError } from "../index.js";
import { unknownOption } from "../nearest-name.js";
import { UsageError } from "./command.js";
import { issuesOf } from "./create-params.js";
import { reasonOf } from "./out-file.js";
import { printableLine } from "./output.js";

/** A set of a batch: for an app of the batch, by its name, or for one that exists. */
export interface WantedSet {
  app?: string | undefined;
  /** The parameters, for an app of the batch without its id. */
  params: Partial<CreateScreenshotsParams>;
}

/** What a batch is to plan. */
export interface Wanted {
  apps: Map<string, CreateAppParams>;
  sets: Map<string, WantedSet>;
}

/** The keys of apps in the state of a batch begin so, and no key of a set does. */
export const appPrefix = "app:";

/**
 * Reads the file of a batch and checks all of it, before anything is sent.
 *
 * @throws {UsageError} when it cannot be read, or holds a mistake
 */
export async function readBatchFile(file: string): Promise<Wanted> {
  try {
    const content = objectIn(JSON.parse(await readFile(file, "utf8")), "the file", ["apps", "sets"]);
    const apps = new Map(Object.entries(objectIn(content.apps ?? {}, "apps")) as [string, CreateAppParams][]);
    const sets = new Map(
      Object.entries(objectIn(content.sets, "sets")).map(([key, set]) => [key, wantedSet(key, set, apps)]),
    );
    await check({ apps, sets });
    return { apps, sets };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === "ENOENT" ? "there is no such file" : code ? reasonOf(error) : (error as Error).message;
    throw new UsageError(printableLine(`Cannot use ${file}: ${reason.replace(/(?<![.?])$/, ".")}`));
  }
}

function wantedSet(key: string, value: unknown, apps: Wanted["apps"]): WantedSet {
  const { app, ...params } = objectIn(value, `set ${key}`, ["app", ...fieldsOf("createScreenshots")]);
  if (key === "" || key.startsWith(appPrefix)) {
    throw new Error(
      `expected the key of a set to be neither empty nor to begin with ${appPrefix}, got "${key}"`,
    );
  }
  if ((app === undefined) === (params.appId === undefined)) {
    throw new Error(`expected set ${key} to have either \`app\`, the name of one in \`apps\`, or \`appId\``);
  }
  if (app === undefined) return { params };
  if (typeof app === "string" && apps.has(app)) return { app, params };
  throw new Error(`set ${key} is for the app ${JSON.stringify(app)}, which is not in \`apps\``);
}

/** Checks the parameters against the document's constraints. */
async function check({ apps, sets }: Wanted): Promise<void> {
  for (const [name, params] of apps) {
    objectIn(params, `app ${name}`, fieldsOf("createApp"));
    refuse(`app ${name}`, await issuesOf((client) => client.apps.create(params)));
  }
  for (const [key, { app, params }] of sets) {
    const whole = {
      ...params,
      ...(app !== undefined && { appId: "created then" }),
    } as CreateScreenshotsParams;
    refuse(`set ${key}`, await issuesOf((client) => client.screenshots.create(whole)));
  }
}

function refuse(what: string, issues: InvalidRequestError["issues"]): void {
  if (issues.length === 0) return;
  throw new Error(
    `${what}: ${issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join("; ")}`,
  );
}

/** The fields of a request that the document has. A mistyped one would be sent, ignored and paid for. */
const fieldsOf = (operation: string) => Object.keys(requestFields[operation] ?? {});

/** @param known the fields that it may have; any unless given */
function objectIn(value: unknown, what: string, known?: string[]): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`expected ${what} to be an object`);
  const unknown = known && unknownOption(what, value, known, "field");
  if (unknown !== undefined) throw new Error(unknown);
  return value as Record<string, unknown>;
}
