import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { createConsumer } from "../helpers/consumer.js";

/** A project that has the package, and its command where package managers put it, until the test ends. */
export function installed(): string {
  const { folder, installed, remove } = createConsumer(inject("packed").tarball);
  onTestFinished(remove);
  chmodSync(join(installed, "dist/cli/main.js"), 0o755);
  mkdirSync(join(folder, "node_modules/.bin"));
  symlinkSync("../screenshot-sets/dist/cli/main.js", join(folder, "node_modules/.bin/screenshot-sets"));
  return folder;
}
