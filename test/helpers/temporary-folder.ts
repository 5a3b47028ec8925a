import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new folder, which is removed at the end of the test, or of the file with `afterAll`. */
export function temporaryFolder(atEnd: (remove: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), "screenshot-sets-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
