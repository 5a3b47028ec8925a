import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "tsup";
import type { GeneratedModule } from "./generated-module.js";

type Client = typeof import("screenshot-sets");
type Mock = typeof import("screenshot-sets/mock");

const source = fileURLToPath(new URL("../../src", import.meta.url));

/** Builds the SDK once without generated modules. Returns a function to run it in this process with given ones. */
export async function buildSdk(): Promise<(generated: GeneratedModule) => Client & Mock> {
  const folder = mkdtempSync(path.join(tmpdir(), "screenshot-sets-"));
  const entry = { index: path.join(source, "index.ts"), mock: path.join(source, "mock/index.ts") };
  const external = [/\/generated\//, "zod/mini"];
  await build({
    config: false,
    silent: true,
    entry,
    outDir: folder,
    format: "cjs",
    splitting: false,
    external,
  });
  const codes = Object.keys(entry).map((name) => readFileSync(path.join(folder, `${name}.cjs`), "utf8"));
  rmSync(folder, { recursive: true });
  const runs = codes.map((code) => new Function("exports", "require", "module", code));
  const require = createRequire(path.join(source, "index.ts"));
  return (generated) => {
    const parts = runs.map((run) => {
      const module = { exports: {} };
      run(
        module.exports,
        (name: string) => (name.includes("/generated/") ? generated : require(name)),
        module,
      );
      return module.exports;
    });
    return Object.assign({}, ...parts);
  };
}
