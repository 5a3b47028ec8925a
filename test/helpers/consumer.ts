import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const modules = fileURLToPath(new URL("../../node_modules", import.meta.url));

/** A separate project that contains only the packed package, unpacked as npm would. */
export function createConsumer(tarball: string) {
  const folder = mkdtempSync(join(tmpdir(), "screenshot-sets-"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true }));
  const installed = join(folder, "node_modules", "screenshot-sets");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", installed]);
  return {
    folder,
    installed,
    /** Links packages of this repository into it, as if it had installed them. */
    link(...names: string[]): void {
      for (const name of names) {
        const link = join(folder, "node_modules", name);
        mkdirSync(dirname(link), { recursive: true });
        rmSync(link, { force: true });
        symlinkSync(join(modules, name), link, "junction");
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
