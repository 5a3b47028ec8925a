import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { test } from "node:test";
import { ScreenshotSets } from "screenshot-sets";

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function start() {
  execFileSync("node_modules/.bin/react-router", ["build"], { stdio: ["ignore", "ignore", "inherit"] });
  const port = await freePort();
  const server = spawn("node_modules/.bin/react-router-serve", ["build/server/index.js"], {
    env: { ...process.env, PORT: port, HOST: "127.0.0.1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(server.stdout, "data");
  server.stdout.resume();
  return { url: `http://127.0.0.1:${port}`, close: () => server.kill() };
}

export function defineMore({ app }) {
  test("waits for a job in the loader of a page", async () => {
    const client = new ScreenshotSets();
    const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
    const { jobId } = await client.screenshots.create({ appId, device: "iphone-69" });
    const page = await fetch(`${app.url}/?job=${jobId}`);
    assert.match(await page.text(), /<h1>The job has succeeded<\/h1>/);
  });

  test("sends nothing of the client to browsers", () => {
    const folder = "build/client/assets";
    const files = readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, "utf8"));
    assert.ok(files.length > 0);
    assert.ok(files.every((text) => !text.includes("SCREENSHOT_SETS_API_KEY")));
  });
}
