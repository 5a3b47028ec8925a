import { appPrefix } from "../batch/batch-options.js";
import { requestFields } from "../generated/values.js";
import type { CreateAppParams, CreateScreenshotsParams } from "../index.js";
import { createAppParams } from "../params.js";
import { type Issue, isRecord, issueText } from "../schema/parse.js";
import { unknownNames } from "../text/nearest-name.js";
import { UsageError } from "./command.js";
import { issuesOf, setIssues } from "./create-params.js";
import { textOf } from "./input-file.js";

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

/**
 * Reads the file of a batch and checks all of it, before anything is sent.
 *
 * @throws {UsageError} when it cannot be read, or holds mistakes, all of which are told: those of the JSON, else those of
 *   the names, else those of the parameters
 */
export async function readBatchFile(file: string): Promise<Wanted> {
  const refuse = (reasons: string[]) => {
    if (reasons.length === 0) return;
    const words = reasons.map((reason) => reason.replace(/(?<![.?])$/, "."));
    const begin = `Cannot use ${file}:`;
    throw words.length > 1 ? new UsageError(begin, ...words) : new UsageError(`${begin} ${words}`);
  };
  const json = await textOf(file);
  let content: unknown;
  try {
    content = JSON.parse(json);
  } catch (error) {
    refuse([(error as Error).message]);
  }
  refuse([...namesTwice(json).map((name) => `${name} comes twice`), ...nameMistakes(content)]);
  const { apps = {}, sets } = content as Record<"apps" | "sets", Record<string, object>>;
  const wanted: Wanted = {
    apps: new Map(Object.entries(apps) as [string, CreateAppParams][]),
    sets: new Map(
      Object.entries(sets).map(([key, { app, ...params }]: [string, { app?: string }]) => [
        key,
        { app, params },
      ]),
    ),
  };
  refuse(parameterMistakes(wanted));
  return wanted;
}

/** The names that come twice in one object of a valid JSON text, of which `JSON.parse` would keep the last. */
function namesTwice(json: string): string[] {
  const twice: string[] = [];
  const open: { names: Set<string>; last: string }[] = [];
  for (const [token, name] of json.matchAll(/("(?:[^"\\]|\\.)*")(?=\s*:)|"(?:[^"\\]|\\.)*"|[{}]/g)) {
    const object = open.at(-1);
    if (token === "{") open.push({ names: new Set(), last: "" });
    else if (token === "}") open.pop();
    else if (name !== undefined && object) {
      object.last = JSON.parse(name);
      if (object.names.has(object.last)) twice.push(open.map(({ last }) => JSON.stringify(last)).join(" → "));
      object.names.add(object.last);
    }
  }
  return [...new Set(twice)];
}

/** What is missing, unknown or in conflict in the content of the file. */
function nameMistakes(content: unknown): string[] {
  // Editors complete and check a file by its `$schema`.
  const ofFile = objectMistakes(content, "the file", ["apps", "sets", "$schema"]);
  if (!isRecord(content)) return ofFile;
  const { apps = {}, sets } = content;
  return [
    ...ofFile,
    ...objectMistakes(apps, "apps"),
    ...Object.entries(isRecord(apps) ? apps : {}).flatMap(([name, app]) =>
      objectMistakes(app, `app ${name}`, fieldsOf("createApp")),
    ),
    ...objectMistakes(sets, "sets"),
    ...Object.entries(isRecord(sets) ? sets : {}).flatMap(([key, set]) =>
      setMistakes(key, set, Object(apps)),
    ),
  ];
}

function setMistakes(key: string, set: unknown, apps: object): string[] {
  const mistakes = objectMistakes(set, `set ${key}`, ["app", ...fieldsOf("createScreenshots")]);
  if (!isRecord(set)) return mistakes;
  if (key === "" || key.startsWith(appPrefix)) {
    mistakes.push(
      `expected the key of a set to be neither empty nor to begin with ${appPrefix}, got "${key}"`,
    );
  }
  const { app, appId } = set;
  if ((app === undefined) === (appId === undefined)) {
    mistakes.push(`expected set ${key} to have either \`app\`, the name of one in \`apps\`, or \`appId\``);
  } else if (app !== undefined && !(typeof app === "string" && Object.hasOwn(apps, app))) {
    mistakes.push(`set ${key} is for the app ${JSON.stringify(app)}, which is not in \`apps\``);
  }
  return mistakes;
}

/** What of the parameters breaks the document's constraints. */
function parameterMistakes({ apps, sets }: Wanted): string[] {
  const told = (what: string, issues: Issue[]) => issues.map((issue) => `${what}: ${issueText(issue)}`);
  return [
    ...[...apps].flatMap(([name, params]) => told(`app ${name}`, issuesOf(createAppParams, params))),
    ...[...sets].flatMap(([key, { app, params }]) =>
      told(`set ${key}`, setIssues(params, app !== undefined)),
    ),
  ];
}

/** The fields of a request that the document has. A mistyped one would be sent, ignored and paid for. */
const fieldsOf = (operation: string) => Object.keys(requestFields[operation] ?? {});

/** @param known the fields that it may have; any unless given */
function objectMistakes(value: unknown, what: string, known?: string[]): string[] {
  if (!isRecord(value)) return [`expected ${what} to be an object`];
  return known ? unknownNames(what, value, known, "field") : [];
}
