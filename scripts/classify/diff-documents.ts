import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { JsonObject } from "../openapi/json.js";
import type { Change } from "./change.js";

const config = fileURLToPath(new URL("redocly.yaml", import.meta.url));

/** A change as Redocly's `diff` reports it. */
interface Reported {
  path: string;
  kind: "added" | "removed" | "modified";
  typeName: string;
  property?: string;
  /** The rules that call the change breaking. */
  verdicts: { ruleId: string }[];
  base?: { value?: unknown };
  revision?: { value?: unknown };
}

/** The changes between two comparable documents, as Redocly's experimental `diff` rates them. */
export async function diffDocuments(before: JsonObject, after: JsonObject): Promise<Change[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "screenshot-sets-diff-"));
  try {
    // Nothing is awaited before the process starts, so that it runs while the caller compiles.
    writeFileSync(path.join(folder, "old.json"), JSON.stringify(before));
    writeFileSync(path.join(folder, "new.json"), JSON.stringify(after));
    await runDiff(folder);
    const report = await readFile(path.join(folder, "report.json"), "utf8");
    const { changes } = JSON.parse(report) as { changes: Reported[] };
    return changes.flatMap(toChanges);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs Redocly in its own process, as the package exports no API. It gets no key and does not use the network. */
async function runDiff(folder: string): Promise<void> {
  const manifest = createRequire(import.meta.url).resolve("@redocly/cli/package.json");
  const cli = path.join(path.dirname(manifest), "bin", "cli.js");
  const options = ["--format", "json", "--output", "report.json", "--fail-on", "none", "--config", config];
  await promisify(execFile)(process.execPath, [cli, "diff", "old.json", "new.json", ...options], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      REDOCLY_TELEMETRY: "off",
      REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
      REDOCLY_SUPPRESS_NOTIFICATIONS: "true",
    },
  });
}

function toChanges(reported: Reported): Change[] {
  const { path: pointer, property, verdicts } = reported;
  // A change of a component is also reported wherever the component is used.
  if (/^#\/components\/(?!securitySchemes\/)/.test(pointer)) return [];
  const where = property === undefined ? pointer : `${pointer}/${property}`;
  if (isOfAnswer.test(where) && isForTypes.test(where)) return [];
  // The SDK accepts any error, so none of the rules for answers applies.
  if (verdicts.length === 0 || isOfError.test(pointer)) return [{ ...rated(reported), where }];
  return verdicts.map(({ ruleId }) => ({ level: "breaking", rule: ruleId, where }));
}

const isOfAnswer = /^#\/paths\/[^/]+\/[^/]+\/responses\/2/;

/** Limits, which answers are not checked against, and compositions, whose effect on code the compiler knows. */
const isForTypes =
  /(?<!\/properties)\/(?:format|default|pattern|multipleOf|uniqueItems|additionalProperties|discriminator|(?:exclusiveM|m)(?:in|ax)[a-zA-Z]+|(?:anyOf|oneOf|allOf)(?:\/\d+)?)$/;

const isOfError = /^#\/paths\/[^/]+\/[^/]+\/responses\/(?!2)/;

/** Rates a change that none of Redocly's rules covers. */
function rated({ path: pointer, kind, typeName, property, base, revision }: Reported): Omit<Change, "where"> {
  const isOfRequest = /\/requestBody\/|\/parameters\//.test(pointer);
  const isRemoved = property === "key" || (kind === "removed" && /\/properties\/[^/]+$/.test(pointer));
  // Code that sets the field no longer compiles.
  if (isOfRequest && isRemoved) return { level: "breaking", rule: "request-property-removed" };
  if (isOfError.test(pointer) && kind === "removed") return { level: "docs", rule: "error-no-longer-listed" };
  // Code that compares an answer with a removed value no longer compiles.
  if (!isOfRequest && losesValues(property, base?.value, revision?.value)) {
    return { level: "breaking", rule: "answer-value-removed" };
  }
  if (property === "default") {
    const isOther = base?.value !== undefined && revision?.value !== undefined;
    // Code that leaves the field out now gets another value.
    if (isOther) return { level: "breaking", rule: "default-changed" };
    return { level: "docs", rule: "default-documented" };
  }
  const rule = property ? `${nameOf(property)}-changed` : `${nameOf(typeName)}-${kind}`;
  return { level: "additive", rule };
}

/** Whether a list of values or types lost an entry, or is new. Any value may be compared with null, so null is ignored. */
function losesValues(property: string | undefined, before: unknown, after: unknown): boolean {
  if (after === undefined || !["enum", "type"].includes(property ?? "")) return false;
  if (before === undefined) return property === "enum";
  const named = (values: unknown) => [values].flat().map((value) => (value === "integer" ? "number" : value));
  const left = named(after);
  return named(before).some((value) => value !== "null" && value !== null && !left.includes(value));
}

/** A name in kebab case: `MediaType` becomes `media-type`. */
function nameOf(name: string): string {
  return name.replace(/\B[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}
