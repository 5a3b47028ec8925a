import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Plan } from "./make-plan.js";
import type { Places } from "./places.js";

/** Writes drafts of all files first, so that most failures happen before any file in place is touched. */
export async function applyPlan({ writes, removals }: Plan, { root }: Places): Promise<void> {
  if (writes.size + removals.length === 0) return;
  // In the working copy, as renaming is only atomic within one file system.
  const folder = await mkdtemp(path.join(root, ".generated-"));
  try {
    const drafts = [...writes.keys()].map((file, index) => [file, path.join(folder, String(index))] as const);
    for (const [file, draft] of drafts) await writeFile(draft, writes.get(file) ?? "");
    for (const file of removals) await rm(file, { recursive: true });
    for (const [file, draft] of drafts) {
      await mkdir(path.dirname(file), { recursive: true });
      await rename(draft, file);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One line for each file that is not what the document asks for; none when all are. */
export function driftOf({ writes, removals }: Plan, { root }: Places): string[] {
  const label = (file: string) => path.relative(root, file).split(path.sep).join("/");
  const changed = [...writes.keys()].map((file) => {
    return `${label(file)} ${existsSync(file) ? "is not what openapi.json asks for" : "is missing"}`;
  });
  return [...changed, ...removals.map((file) => `${label(file)} is left over`)];
}
