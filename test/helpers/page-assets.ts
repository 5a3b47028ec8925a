import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "tsup";
import { page } from "../../tsup.config.js";

const folder = fileURLToPath(new URL("../../src/mock/page/assets", import.meta.url));

/** Builds the browser assets of the mock's page, for tests of the source. */
export async function setup(): Promise<() => void> {
  await build({ ...page, config: false, silent: true, outDir: folder });
  return () => rmSync(folder, { recursive: true, force: true });
}
