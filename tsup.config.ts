import { rmSync } from "node:fs";
import { defineConfig, type Options } from "tsup";

/** The package's entry points. */
const entries = {
  index: "src/index.ts",
  "mock/index": "src/mock/index.ts",
  "mock/msw": "src/mock/msw.ts",
  "batch/index": "src/batch/index.ts",
  "durable/index": "src/durable/index.ts",
  "bullmq/index": "src/durable/bullmq/index.ts",
  undici: "src/request/undici-fetch.ts",
};

/**
 * Entry points share their code in chunks, so that there is one client, and what is loaded later is a chunk of its own.
 * No source maps: the code is readable as it is, and those for CommonJS would hold paths of the machine that built it.
 */
const library: Options = {
  target: "node20",
  splitting: true,
  removeNodeProtocol: false,
  // Bundled packages stay bundled, even if they became dependencies: nothing else is to be installed.
  noExternal: ["cross-spawn", "openapi-fetch", /^zod(\/|$)/],
  external: [/^msw(\/|$)/, "bullmq", "undici"],
  // What is bundled, for the notices.
  metafile: true,
};

/** The script and the style of the mock's page, for a browser, beside the chunk that serves them. */
export const page: Options = {
  entry: { page: "src/mock/page/browser/main.tsx", style: "src/mock/page/browser/style.css" },
  outDir: "dist/assets",
  format: "esm",
  target: "es2022",
  platform: "browser",
  minify: true,
  splitting: false,
  metafile: true,
};

/** Both formats in one build, because reading the types takes most of the time. `npm run typecheck` checks them. */
const types: Options = {
  entry: entries,
  format: ["esm", "cjs"],
  dts: { only: true, compilerOptions: { noCheck: true } },
};

export default defineConfig(({ dts, outDir = "dist" }) => {
  // All builds write to one folder, so none of them may empty it. It is emptied here, once, before any build begins.
  rmSync(outDir, { recursive: true, force: true });
  const builds: Options[] = [
    { ...library, entry: { ...entries, "cli/main": "src/cli/main.ts" }, format: "esm" },
    {
      ...library,
      entry: entries,
      format: "cjs",
      define: { "import.meta.dirname": "__dirname" },
    },
    { ...page, outDir: `${outDir}/assets` },
  ];
  return dts === false ? builds : [...builds, types];
});
