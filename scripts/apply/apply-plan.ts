import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Places } from "./places.js";
import type { Plan } from "./plan.js";

/** Writes every file to a draft first, so that what can fail has failed before anything in place is touched. */
export async function applyPlan({ writes, removals }: Plan, { root }: Places): Promise<void> {
  if (writes.size + removals.length === 0) return;
  // In the working copy, as a rename is only atomic within one file system.
  const draft = await mkdtemp(path.join(root, ".generated-"));
  try {
    const drafted = [...writes].map(([file, text], index) => {
      return { file, text, draft: path.join(draft, String(index)) };
    });
    for (const { draft, text } of drafted) {
      await writeFile(draft, text);
    }
    for (const file of removals) {
      await rm(file, { recursive: true });
    }
    for (const { draft, file } of drafted) {
      await mkdir(path.dirname(file), { recursive: true });
      await rename(draft, file);
    }
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
