import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { undiciFetch } from "screenshot-sets/undici";

const params = { iosUrl: "https://apps.apple.com/us/app/example/id1" };

test("a set is planned through undici, and its errors are those of the SDK", async () => {
  const mock = createMock({ clock: "system", lifecycle: { queued: 0.1, running: 0.1, unit: "ms" } });
  const { url, close } = await mock.listen();
  const client = new ScreenshotSets({
    ...mock.clientOptions,
    clock: undefined,
    baseUrl: url,
    fetch: undiciFetch(),
  });
  try {
    const { appId } = await client.apps.create(params);
    const set = await client.screenshots.createAndWait({ appId, device: "iphone-69" });
    assert.equal(set.status, "succeeded");
    mock.fault({ status: 402 }, { operation: "createScreenshots" });
    await assert.rejects(client.screenshots.create({ appId, device: "iphone-69" }), {
      status: 402,
      charged: "no",
    });
    mock.fault("reset", { operation: "createScreenshots", when: "after" });
    await assert.rejects(client.screenshots.create({ appId, device: "iphone-69" }), { charged: "maybe" });
    assert.equal(mock.credits.used, 20);
  } finally {
    await close();
  }
});

test("the package installs beside this version", () => {
  const own = dirname(fileURLToPath(import.meta.resolve("screenshot-sets/package.json")));
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const folder = mkdtempSync(join(tmpdir(), "screenshot-sets-undici-"));
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "project", private: true, dependencies }),
  );
  const args = ["install", "--install-links", "--ignore-scripts", "--no-audit", "--no-fund", own];
  const { status, stderr } = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
  rmSync(folder, { recursive: true });
  assert.equal(status, 0, stderr);
});
