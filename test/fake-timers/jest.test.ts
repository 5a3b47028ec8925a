import { spawnSync } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build, type Options } from "tsup";
import { afterAll, expect, test } from "vitest";
import { repository } from "../helpers/repository.js";

// The tests of waiting in Jest, on its fake timers and the client's default clock. They are bundled with the source,
// as Jest takes neither TypeScript nor ES modules as they are.

const folder = join(repository, "test", ".jest");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The document that the other tests of the source run with. */
const ownDocument: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "own document",
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/generated\/[\w-]+\.js$/ }, ({ path }) => ({
      path: join(repository, "test/.document/generated", basename(path).replace(/js$/, "ts")),
    })),
};

const leftOut = [
  // Its many polls at one instant take a turn of the timers each, which is a millisecond there.
  "limits.test.ts",
  // They replace a global, or spy on one, in Vitest's way.
  "cloudflare-workers.test.ts",
  "prerendering.test.ts",
];

test("the tests of waiting pass in Jest", { timeout: 600_000 }, async () => {
  const files = readdirSync(join(repository, "test/wait")).filter(
    (file) => file.endsWith(".test.ts") && !leftOut.includes(file),
  );
  await build({
    entry: files.map((file) => `test/wait/${file}`),
    outDir: folder,
    config: false,
    silent: true,
    format: "cjs",
    target: "node20",
    noExternal: [/./],
    esbuildPlugins: [ownDocument],
    esbuildOptions(options) {
      options.alias = { vitest: "./test/fake-timers/jest-as-vitest.ts" };
    },
  });
  const config = join(folder, "jest.config.json");
  writeFileSync(
    config,
    // The bundles need no transformation, which takes Babel most of the time.
    JSON.stringify({ rootDir: folder, testRegex: "\\.test\\.c?js$", testTimeout: 60_000, transform: {} }),
  );

  const { status, stderr } = spawnSync(
    process.execPath,
    [join(repository, "node_modules/jest/bin/jest.js"), "--config", config, "--json", "--silent"],
    { cwd: folder, encoding: "utf8", env: { ...process.env, NO_COLOR: "1", NODE_OPTIONS: "" } },
  );

  expect(stderr).toMatch(/^Tests: +\d{3} passed, \d{3} total$/m);
  expect(status).toBe(0);
});
