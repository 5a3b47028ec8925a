import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { entryPoints } from "./scripts/entry-points.js";
import { HeavyFirst } from "./test/helpers/heavy-first.js";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The path of a machine-readable copy of the results, for counting them. */
const resultsFile = process.env.TEST_RESULTS;

/** Tests of the package as it is published, with what the service's document says. */
const packageTests = [
  ...["copies", "fleet-example", "other-examples", "package", "testing-examples", "type-names"].map(
    (name) => `test/package/${name}.test.ts`,
  ),
  ...["readme", "usage"].map((name) => `test/cli/${name}.test.ts`),
];

/** What people copy, run with what the service's document says today. */
const sampleTests = ["readme", "examples", "batch-examples"].map((name) => `test/repository/${name}.test.ts`);

/** Tests import the package by its own name and run on the source. */
export const ownName = [
  ...Object.entries(entryPoints).map(([name, path]) => ({
    find: new RegExp(`^${name}$`),
    replacement: source(`src/${path}.ts`),
  })),
  { find: /^screenshot-sets\/(openapi|package)\.json$/, replacement: source("$1.json") },
];

/** Tests of the source run with a document of their own, so that they hold whatever the service's document says. */
export const ownDocument = {
  alias: {
    find: /^(?:\.\.?\/)+(?:src\/)?generated\/([\w-]+)\.js$/,
    replacement: source("test/.document/generated/$1.ts"),
  },
  globalSetup: "test/helpers/own-document.ts",
};

/** The sample with a page, in a browser. */
const liveTests = ["test/repository/live-example.test.ts"];

const scriptTests = ["test/generate/**/*.test.ts", "test/schema/**/*.test.ts"];

export default defineConfig({
  resolve: {
    alias: ownName,
  },
  test: {
    // Tests that wait for a browser, a process or a deadline would leave a core idle.
    maxWorkers: availableParallelism() + 1,
    // The source is loaded once in each worker. A test that needs modules of its own resets them, before and after.
    isolate: false,
    setupFiles: "test/helpers/seeded-random.ts",
    // Many tests are about what a person should look into.
    env: { SCREENSHOT_SETS_LOG: "off" },
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    sequence: { sequencer: HeavyFirst },
    // Nothing takes this long, except on a busy machine. `.ci/run` draws six times as many cases.
    testTimeout: process.env.ALL_DRAWS ? 240_000 : 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    reporters: resultsFile ? ["default", ["json", { outputFile: resultsFile }]] : ["default"],
    coverage: {
      enabled: Boolean(process.env.COVERAGE),
      include: ["src/**"],
      // The command line runs in processes that `npm run coverage` reports; the page runs in a browser, and the words of
      // lifecycles in both.
      exclude: [
        ...["src/generated/**", "src/cli/**", "src/mock/lifecycle.ts"],
        ...["src/mock/page/browser/**", "src/mock/page/assets/**"],
      ],
      reporter: [["text", { skipFull: true, maxCols: 110 }], "json"],
      thresholds: { lines: 98, branches: 98 },
    },
    projects: [
      {
        extends: true,
        resolve: { alias: [ownDocument.alias] },
        test: {
          name: "source",
          include: ["test/**/*.test.ts"],
          exclude: [
            ...packageTests,
            ...scriptTests,
            ...sampleTests,
            ...liveTests,
            "test/cli/**",
            "test/durable/bullmq/**",
            "test/durable/engines/**",
            "test/mock/page/browser/**",
          ],
          globalSetup: [ownDocument.globalSetup, "test/helpers/page-assets.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "samples",
          include: sampleTests,
          globalSetup: "test/helpers/samples.ts",
          // Compiles only the type tests, the samples and what they reach: `npm run typecheck` compiles everything.
          typecheck: {
            // As in `npm test`: Vitest does not hand the flag on to projects.
            enabled: process.argv.includes("--typecheck"),
            include: ["test/**/*.test-d.ts"],
            tsconfig: "test/tsconfig.type-tests.json",
            checker: source("node_modules/typescript7/bin/tsc"),
          },
        },
      },
      {
        extends: true,
        test: {
          name: "live",
          include: liveTests,
          globalSetup: "test/helpers/chromium.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "scripts",
          include: scriptTests,
        },
      },
      {
        extends: true,
        resolve: { alias: [ownDocument.alias] },
        test: {
          // The tests of waiting again, on fake timers and the client's default clock.
          name: "fake timers",
          include: ["test/wait/*.test.ts"],
          // It sends many polls at one instant, and each takes a timer tick, which is a millisecond on fake timers.
          exclude: ["test/wait/limits.test.ts"],
          globalSetup: ownDocument.globalSetup,
          setupFiles: "test/fake-timers/vitest.ts",
        },
      },
      {
        extends: true,
        // The oldest supported undici.
        resolve: { alias: [ownDocument.alias, { find: "undici", replacement: "undici6" }] },
        test: {
          name: "undici 6",
          include: ["test/request/undici/*.test.ts"],
          globalSetup: ownDocument.globalSetup,
        },
      },
      {
        extends: true,
        resolve: { alias: [ownDocument.alias] },
        test: {
          name: "bullmq",
          include: ["test/durable/bullmq/**/*.test.ts"],
          globalSetup: [ownDocument.globalSetup, "test/helpers/redis.ts"],
        },
      },
      {
        extends: true,
        resolve: { alias: [ownDocument.alias] },
        test: {
          name: "engines",
          include: ["test/durable/engines/**/*.test.ts"],
          globalSetup: [ownDocument.globalSetup, "test/helpers/postgres.ts"],
        },
      },
      {
        extends: true,
        resolve: { alias: [ownDocument.alias] },
        test: {
          // Tests of the mock's page, in one browser.
          name: "page",
          include: ["test/mock/page/browser/**/*.test.ts"],
          globalSetup: [ownDocument.globalSetup, "test/helpers/page-assets.ts", "test/helpers/chromium.ts"],
        },
      },
      {
        extends: true,
        resolve: { alias: [ownDocument.alias] },
        test: {
          // Tests of the built command, with a separate process for each run.
          name: "cli",
          include: ["test/cli/**/*.test.ts"],
          exclude: packageTests,
          globalSetup: [ownDocument.globalSetup, "test/helpers/packed-package.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "package",
          include: packageTests,
          globalSetup: ["test/helpers/packed-package.ts", "test/helpers/redis.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
