import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { build } from "esbuild";
import { createMock } from "screenshot-sets/mock";

const event = {
  body: JSON.stringify({ iosUrl: "https://apps.apple.com/us/app/example/id1", device: "iphone-69" }),
};

for (const format of ["cjs", "esm"]) {
  test(`a bundle of the format ${format} plans sets where nothing is installed, cold and warm`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "lambda-"));
    const outfile = join(folder, format === "cjs" ? "index.cjs" : "index.mjs");
    const options = { entryPoints: ["handler.mjs"], bundle: true, minify: true, platform: "node" };
    const { warnings } = await build({ ...options, format, target: "node20", outfile, metafile: true });
    assert.deepEqual(warnings, []);

    const mock = createMock();
    const { url, close } = await mock.listen();
    const program = `
      import(${JSON.stringify(outfile)}).then(async ({ handler }) => {
        const event = ${JSON.stringify(event)};
        console.log(JSON.stringify([await handler(event), await handler(event)]));
      })`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--eval", program], {
      cwd: folder,
      env: { SCREENSHOT_SETS_API_KEY: mock.clientOptions.apiKey, SCREENSHOT_SETS_BASE_URL: url },
    });
    await close();
    rmSync(folder, { recursive: true });
    for (const { statusCode, body } of JSON.parse(stdout)) {
      assert.equal(statusCode, 201);
      assert.deepEqual(JSON.parse(body), { status: "succeeded", slides: 3 });
    }
    assert.equal(mock.credits.used, 20);
  });
}
