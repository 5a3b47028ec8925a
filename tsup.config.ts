import { readFileSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { defineConfig, type Options } from "tsup";

const library = {
  index: "src/index.ts",
  "mock/index": "src/mock/index.ts",
  "mock/msw": "src/mock/msw.ts",
  undici: "src/request/undici-fetch.ts",
};
/** Entry points that work with a client. They share its errors instead of containing a second copy. */
const onTheClient = {
  "durable/index": "src/durable/index.ts",
  "bullmq/index": "src/durable/bullmq/index.ts",
};

/**
 * Copies of zod share their settings through `globalThis`. The bundled copy keeps its settings to itself: those that
 * users set for their own copy, even a compiler, do not affect it, and importing the package changes no global.
 */
const ownZod: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "own-zod",
  setup: (build) =>
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]core[\\/](core|registries)\.js$/ }, ({ path }) => ({
      contents: `const settings = {};\n${readFileSync(path, "utf8").replaceAll("globalThis", "settings")}`,
    })),
};

const code: Options = {
  esbuildPlugins: [ownZod],
  target: "node20",
  sourcemap: true,
  removeNodeProtocol: false,
  // Bundled packages stay bundled, even if they became dependencies: nothing else is to be installed.
  noExternal: ["openapi-fetch", "cross-spawn", /^zod(\/|$)/],
  external: [/^msw(\/|$)/, "bullmq", "undici"],
};

/** The command line imports the package's entry points, so its bundle contains neither the client nor the mock. */
const ownEntryPoints = {
  name: "own-entry-points",
  setup({ onResolve }) {
    onResolve({ filter: /^(\.\.\/)+(mock\/)?index\.js$/ }, ({ path }) => ({
      path: path.replace(/^(\.\.\/)+/, "../"),
      external: true,
    }));
  },
} satisfies NonNullable<Options["esbuildPlugins"]>[number];

/** Imports the errors from the main entry point of the same format. */
const sharedErrors = (file: string) =>
  ({
    name: "shared-errors",
    setup({ onResolve }) {
      onResolve({ filter: /\/errors\.js$/ }, () => ({ path: `../${file}`, external: true }));
    },
  }) satisfies NonNullable<Options["esbuildPlugins"]>[number];

/** The modules that the mock loads on demand become separate files beside the entry point, without a shared chunk. */
const loadedLater = {
  name: "loaded-later",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ path, kind }) =>
      kind === "dynamic-import" ? { path: `./${basename(path)}`, external: true } : undefined,
    );
  },
} satisfies NonNullable<Options["esbuildPlugins"]>[number];

/** In CommonJS, the mock's page is also a separate file. It is loaded by `require`, because Jest cannot `import()`. */
const pageRequired = {
  name: "page-required",
  setup({ initialOptions, onResolve }) {
    initialOptions.supported = { ...initialOptions.supported, "dynamic-import": false };
    initialOptions.define = { ...initialOptions.define, "import.meta.dirname": "__dirname" };
    onResolve({ filter: /\/page\/page\.js$/ }, () => ({ path: "./page.cjs", external: true }));
  },
} satisfies NonNullable<Options["esbuildPlugins"]>[number];

/** The script and the style of the mock's page, for a browser. The notices find what it bundles in the metafile. */
export const page: Options = {
  entry: { page: "src/mock/page/browser/main.tsx", style: "src/mock/page/browser/style.css" },
  format: "esm",
  target: "es2022",
  platform: "browser",
  minify: true,
  splitting: false,
  metafile: true,
};

/** The folder of these files, beside the module that serves them. */
const pageFolder = "mock/assets";

/** Puts the further files of an entry point into its folder, from which relative paths are also right. */
const furtherFilesIn = (folder: string): NonNullable<Options["esbuildOptions"]> => {
  return (options) => {
    options.chunkNames = `${folder}/[name]-[hash]`;
  };
};

const builds: Options[] = [
  // The client and the mock have separate builds, although the mock then has a copy of what they share: in a cold
  // start, one more file to find and open takes as long as 10 kB more in the first file.
  { ...code, entry: { index: library.index }, format: "esm" },
  {
    ...code,
    entry: {
      "mock/index": library["mock/index"],
      "mock/listen": "src/mock/carriers/listen.ts",
      "mock/page": "src/mock/page/page.ts",
      "mock/published-document": "src/mock/service/published-document.ts",
    },
    format: "esm",
    splitting: false,
    esbuildPlugins: [ownZod, loadedLater],
  },
  {
    ...code,
    entry: { "mock/msw": library["mock/msw"], undici: library.undici },
    format: "esm",
    splitting: false,
  },
  {
    ...code,
    entry: { "cli/main": "src/cli/main.ts" },
    format: "esm",
    // cross-spawn is CommonJS and requires Node's modules.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    esbuildOptions: furtherFilesIn("cli"),
    esbuildPlugins: [ownEntryPoints],
  },
  ...(["esm", "cjs"] as const).map(
    (format): Options => ({
      ...code,
      entry: onTheClient,
      format,
      splitting: false,
      esbuildPlugins: [sharedErrors(format === "esm" ? "index.js" : "index.cjs")],
    }),
  ),
  // No splitting: it puts absolute paths into the source maps for CommonJS.
  { ...code, entry: library, format: "cjs", splitting: false, esbuildPlugins: [ownZod, pageRequired] },
  {
    ...code,
    entry: { "mock/page": "src/mock/page/page.ts" },
    format: "cjs",
    splitting: false,
    esbuildPlugins: [ownZod, pageRequired],
  },
];

/** Both formats in one build, because reading the types takes most of the time. `npm run typecheck` checks them. */
const types: Options = {
  entry: { ...library, ...onTheClient },
  format: ["esm", "cjs"],
  dts: { only: true, compilerOptions: { noCheck: true } },
};

export default defineConfig(({ dts, outDir = "dist" }) => {
  // All builds write to one folder, so none of them may empty it. It is emptied here, once, before any build begins.
  rmSync(outDir, { recursive: true, force: true });
  const all = [...builds, { ...page, outDir: `${outDir}/${pageFolder}` }];
  return dts === false ? all : [...all, types];
});
