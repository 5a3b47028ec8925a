import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { build } from "tsup";
import { afterEach, expect, test, vi } from "vitest";
import { temporaryFolder } from "../helpers/temporary-folder.js";
import { planSet } from "./ask.js";

afterEach(() => vi.unstubAllGlobals());

/** A program bundled as for such a platform, and loaded where there is no `process`. */
async function bundled(platform: "browser" | "neutral", conditions: string[], program: string) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "program.js"), program);
  await build({
    config: false,
    silent: true,
    entry: [join(folder, "program.js")],
    outDir: join(folder, "dist"),
    outExtension: () => ({ js: ".mjs" }),
    format: "esm",
    splitting: false,
    platform,
    noExternal: [/./],
    removeNodeProtocol: false,
    esbuildOptions(options) {
      // Without comments, which may have such words.
      options.minifyWhitespace = true;
      options.conditions = conditions;
      options.mainFields = ["module", "main"];
    },
  });
  const file = join(folder, "dist/program.mjs");
  expect(readFileSync(file, "utf8")).not.toMatch(/\bfrom *["'`]|import\(|require\(/);
  vi.stubGlobal("process", undefined);
  return import(pathToFileURL(file).href);
}

const program = `
  import { ScreenshotSets } from "screenshot-sets";
  import { createMock } from "screenshot-sets/mock";
  const mock = createMock();
  const client = new ScreenshotSets(mock.clientOptions);
  export async function plan() {
    const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1234567890" });
    return client.screenshots.createAndWait({ appId, device: "iphone-69" });
  }
  export const listen = () => mock.listen();
`;

test.each([
  ["browser", ["browser"]],
  ["neutral", ["worker", "workerd", "edge-light"]],
] as const)("bundles for %s with the conditions %j, and runs there", async (platform, conditions) => {
  const { plan, listen } = await bundled(platform, [...conditions], program);
  expect((await plan()).status).toBe("succeeded");
  await expect(listen()).rejects.toThrow(
    "Failed to listen: only Node, Bun and Deno can serve HTTP. Please pass",
  );
});

test("the clock takes Node's own MessageChannel where a test runner's page hides it", async () => {
  vi.stubGlobal("MessageChannel", undefined);
  const mock = createMock({ lifecycle: { queued: 60_000, running: 0, unit: "ms" } });

  expect((await planSet(new ScreenshotSets(mock.clientOptions))).status).toBe("succeeded");
});
