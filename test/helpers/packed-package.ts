import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { rootWithOwnDocument } from "./own-document.js";
import { pack } from "./pack.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The package as npm would publish it, and the files in it. */
    packed: { tarball: string; files: string[] };
    /** The built command. */
    command: string;
  }
}

const repository = new URL("../../", import.meta.url);

/** Each project loads its own copy of this file, but all projects share one process. */
const shared = globalThis as { packedForTests?: Map<string, ReturnType<typeof pack>> };

/** Builds and packs once for all projects, which would otherwise empty each other's `dist`. */
export async function setup({ name, provide }: TestProject): Promise<() => void> {
  const root = name === "cli" ? await rootWithOwnDocument() : fileURLToPath(repository);
  shared.packedForTests ??= new Map();
  const packed = shared.packedForTests.get(root) ?? packedIn(root);
  shared.packedForTests.set(root, packed);
  const { tarball, files, remove } = packed;
  provide("packed", { tarball, files });
  provide("command", join(root, "dist/cli/main.js"));
  return () => {
    shared.packedForTests?.delete(root);
    remove();
    if (root !== fileURLToPath(repository)) rmSync(root, { recursive: true, force: true });
  };
}

function packedIn(root: string) {
  rmSync(new URL("coverage/cli", repository), { recursive: true, force: true });
  return pack(root);
}
