import { createHash } from "node:crypto";
import type { Level } from "./change.js";
import type { Classification } from "./classify.js";

const bumps = ["patch", "minor", "major"] as const;
type Bump = (typeof bumps)[number];

/** The maximum number of changes that a changeset lists, because people read the changelog. */
const maxChanges = 30;

/** The changeset's file name. It depends only on the document, so the same document always has the same file. */
export function changesetName(documentText: string): string {
  return `openapi-${createHash("sha256").update(documentText).digest("hex").slice(0, 12)}.md`;
}

/** Whether a file in `.changeset/` has the name of a generated changeset. */
export const isGeneratedChangeset = (name: string) => /^openapi-[\da-f]{12}\.md$/.test(name);

/** Below 1.0, a breaking change is `minor` and everything else is `patch`. From 1.0 on, the bump follows semver. */
export function bumpFor(level: Level, version: string): Bump {
  if (version.startsWith("0.")) return level === "breaking" ? "minor" : "patch";
  return level === "breaking" ? "major" : level === "additive" ? "minor" : "patch";
}

/** The changeset's text. It says what changed for users, and never quotes the document's prose in our changelog. */
export function changesetText(packageName: string, version: string, classified: Classification): string {
  const { level, changes } = classified;
  const list = changes.slice(0, maxChanges).map(({ words }) => `- ${words}`);
  const more = changes.length - list.length;
  if (more > 0) list.push(`- and ${more} more`);
  const heading =
    level === "breaking" ? `${follow}. Code written for the earlier one may break:` : `${follow}:`;
  const text =
    list.length > 0 ? [heading, "", ...list] : [`${follow}, of which the descriptions or the form changed.`];
  return ["---", `"${packageName}": ${bumpFor(level, version)}`, "---", "", ...text, ""].join("\n");
}

const follow = "Follow the service's OpenAPI document";

/** Whether an existing changeset, which people may have reworded, has at least the bump of the wanted one. */
export function promisesEnough(present: string, wanted: string): boolean {
  const bump = /^---\r?\n["']?[^"':\n]+["']?\s*:\s*["']?(patch|minor|major)["']?\s*\r?\n---/;
  const rank = (changeset: string) => bumps.indexOf(bump.exec(changeset)?.[1] as Bump);
  return rank(present) >= rank(wanted);
}
