import { readFileSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { defineConfig, type Options } from "tsup";

const library = {
  index: "src/index.ts",
  "mock/index": "src/mock/index.ts",
  "mock/msw": "src/mock/msw.ts",
  undici: "src/request/undici-fetch.ts",
};
/** Entry points that work with a client: they share its errors, so that they hold no second copy of them. */
const onTheClient = {
  "durable/index": "src/durable/index.ts",
  "bullmq/index": "src/durable/bullmq/index.ts",
};

/**
 * Each copy of zod shares its settings with the others through `globalThis`. The one in here keeps them to itself:
 * what users set for theirs, a compiler even, is not meant for it, and importing the package changes no global.
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
  // What is bundled stays bundled, even if it became a dependency: nothing is to be installed along.
  noExternal: ["openapi-fetch", /^zod(\/|$)/],
  external: [/^msw(\/|$)/, "bullmq", "undici"],
};

/** The command line runs the package that it is a part of, so that its bundle holds neither the client nor the mock. */
const ownEntryPoints = {
  name: "own-entry-points",
  setup({ onResolve }) {
    onResolve({ filter: /^(\.\.\/)+(mock\/)?index\.js$/ }, ({ path }) => ({
      path: path.replace(/^(\.\.\/)+/, "../"),
      external: true,
    }));
  },
} satisfies NonNullable<Options["esbuildPlugins"]>[number];

/** The errors are those of the main entry point of the same format. */
const sharedErrors = (file: string) =>
  ({
    name: "shared-errors",
    setup({ onResolve }) {
      onResolve({ filter: /\/errors\.js$/ }, () => ({ path: `../${file}`, external: true }));
    },
  }) satisfies NonNullable<Options["esbuildPlugins"]>[number];

/** What the mock loads when it is used, as files of its own beside the entry point, without a third for what they share. */
const loadedLater = {
  name: "loaded-later",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ path, kind }) =>
      kind === "dynamic-import" ? { path: `./${basename(path)}`, external: true } : undefined,
    );
  },
} satisfies NonNullable<Options["esbuildPlugins"]>[number];

/** The mock's page in CommonJS is a file of its own as well, and loaded by `require`, as Jest cannot `import()`. */
const pageRequired = {
  name: "page-required",
  setup({ initialOptions, onResolve }) {
    initialOptions.supported = { ...initialOptions.supported, "dynamic-import": false };
    initialOptions.define = { ...initialOptions.define, "import.meta.dirname": "__dirname" };
    onResolve({ filter: /\/page\/page\.js$/ }, () => ({ path: "./page.cjs", external: true }));
  },
} satisfies NonNullable<Options["esbuildPlugins"]>[number];

/** The script and the style of the mock's page, for a browser. What it bundles is in the metafile, for the notices. */
export const page: Options = {
  entry: { page: "src/mock/page/browser/main.tsx", style: "src/mock/page/browser/style.css" },
  format: "esm",
  target: "es2022",
  platform: "browser",
  minify: true,
  splitting: false,
  metafile: true,
};

/** Where they are, beside the module that serves them. */
const pageFolder = "mock/assets";

/** Puts the further files of an entry point into its folder, from where relative paths are right as well. */
const furtherFilesIn = (folder: string): NonNullable<Options["esbuildOptions"]> => {
  return (options) => {
    options.chunkNames = `${folder}/[name]-[hash]`;
  };
};

const builds: Options[] = [
  // Each on its own, though the mock then has a copy of what it shares with the client: a file more to find and open
  // takes as much of a cold start as 10 kB more in the first one.
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
  // No splitting: for CommonJS it puts absolute paths into the source maps.
  { ...code, entry: library, format: "cjs", splitting: false, esbuildPlugins: [ownZod, pageRequired] },
  {
    ...code,
    entry: { "mock/page": "src/mock/page/page.ts" },
    format: "cjs",
    splitting: false,
    esbuildPlugins: [ownZod, pageRequired],
  },
];

/** Both formats in one go, as reading the types takes most of the time. */
const types: Options = { entry: { ...library, ...onTheClient }, format: ["esm", "cjs"], dts: { only: true } };

export default defineConfig(({ dts, outDir = "dist" }) => {
  // All builds write to one folder, so none of them may empty it: that is done here, once, before any begins.
  rmSync(outDir, { recursive: true, force: true });
  const all = [...builds, { ...page, outDir: `${outDir}/${pageFolder}` }];
  return dts === false ? all : [...all, types];
});
