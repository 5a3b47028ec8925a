import { rmSync } from "node:fs";
import { defineConfig, type Options } from "tsup";

const library = ["src/index.ts", "src/mock/index.ts", "src/mock/msw.ts"];

const code: Options = {
  target: "node20",
  sourcemap: true,
  removeNodeProtocol: false,
  // What is bundled stays bundled, even if it became a dependency: nothing is to be installed along.
  noExternal: ["openapi-fetch", /^zod(\/|$)/],
  external: [/^msw(\/|$)/],
};

const builds: Options[] = [
  { ...code, entry: [...library, "src/cli/main.ts"], format: "esm" },
  // No splitting: for CommonJS it puts absolute paths into the source maps.
  { ...code, entry: library, format: "cjs", splitting: false },
];

/** Both formats in one go, as reading the types takes most of the time. */
const types: Options = { entry: library, format: ["esm", "cjs"], dts: { only: true } };

export default defineConfig(({ dts, outDir = "dist" }) => {
  // All builds write to one folder, so none of them may empty it: that is done here, once, before any begins.
  rmSync(outDir, { recursive: true, force: true });
  return dts === false ? builds : [...builds, types];
});
