import { rmSync } from "node:fs";
import { defineConfig, type Options } from "tsup";
import { entryPoints } from "./scripts/entry-points.js";

/**
 * The main entry point, and its two parts: the client, and what code needs that polls a job itself. Each becomes a file,
 * and `index.js` only names what is in them, so that a bundler leaves out what is not used.
 */
const client = ["index", "client", "wait/polling"];

type EsbuildOptions = Parameters<NonNullable<Options["esbuildOptions"]>>[0];

/** All entry points. */
const all = Object.values(entryPoints);

const others = all.filter((path) => !client.includes(path));

/**
 * Entry points share their code in chunks, and what is loaded later is a chunk of its own. Names stay as they are: only the
 * coverage of the command line's processes needs source maps, which the package leaves out.
 */
const library: Options = {
  target: "node20",
  splitting: true,
  sourcemap: Boolean(process.env.COVERAGE),
  removeNodeProtocol: false,
  // Bundled packages stay bundled, even if they became dependencies: nothing else is to be installed.
  noExternal: ["cross-spawn", "openapi-fetch", /^zod(\/|$)/],
  external: [/^msw(\/|$)/, "bullmq", "undici"],
};

/** What is at a path of `src` comes to the same path of `dist`. */
const entry = (paths: string[]) => Object.fromEntries(paths.map((path) => [path, `src/${path}.ts`]));

/**
 * What few people read has no comments and little white space, because the package is downloaded by everyone. Its lines end
 * somewhere, because Node prints the whole line of an error that nobody caught.
 */
const dense = (more: EsbuildOptions = {}): Options => ({
  esbuildOptions(options) {
    Object.assign(options, { minifyWhitespace: true, lineLimit: 200 }, more);
  },
});

/** The client is built alone, in two files, since a cold start takes the longer the more files it reads. */
const build = (format: "esm" | "cjs", others: string[], more: Options = {}): Options[] => [
  { ...library, entry: entry(client), format, ...more },
  // The metafile says what is bundled, for the notices.
  { ...library, ...dense(), entry: entry(others), format, metafile: true, ...more },
];

/**
 * The client's code is there twice: who wants to read it finds the module. What tsup turns into CommonJS has no `??` and no
 * `?.` left, as its converter writes `else_nullishCoalesce` where no white space stands before the first operand.
 */
const commonJs: Options = {
  ...dense({ supported: { "nullish-coalescing": false, "optional-chain": false } }),
  define: { "import.meta.dirname": "__dirname" },
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

/**
 * Both formats in one build, because reading the types takes most of the time. `npm run typecheck` checks them. tsup sets
 * `baseUrl`, which TypeScript 6 has for the last time.
 */
const types: Options = {
  entry: entry(all),
  format: ["esm", "cjs"],
  dts: { only: true, compilerOptions: { noCheck: true, ignoreDeprecations: "6.0" } },
};

export default defineConfig(({ dts, outDir = "dist" }) => {
  // All builds write to one folder, so none of them may empty it. It is emptied here, once, before any build begins.
  rmSync(outDir, { recursive: true, force: true });
  const builds: Options[] = [
    ...build("esm", [...others, "cli/main"]),
    ...build("cjs", others, commonJs),
    { ...page, outDir: `${outDir}/assets` },
  ];
  return dts === false ? builds : [...builds, types];
});
