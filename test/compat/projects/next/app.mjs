import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync } from "node:fs";
import { test } from "node:test";
import { ScreenshotSets } from "screenshot-sets";

export const paths = ["/sets", "/edge"];

process.env.NEXT_TELEMETRY_DISABLED = "1";
const next = "node_modules/.bin/next";

const build = (folder) =>
  execFileSync(next, ["build", folder], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

export async function start({ mock }) {
  const built = build(".");
  for (const name of ["app", "next.config.mjs", "plan-set.mjs", "package.json"]) {
    // Settings of single routes, such as the edge runtime, are none of Cache Components.
    const filter = (path) => !/^app.(edge|mocked)$/.test(path);
    cpSync(name, `cache-components/${name}`, { recursive: true, filter });
  }
  const builtWithCacheComponents = build("cache-components");
  const sent = mock.requests().length;
  const server = spawn(next, ["start", "--port", "0", "--hostname", "127.0.0.1"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise((resolve) => {
    server.stdout.on("data", (text) => {
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
      if (found) resolve(found);
    });
  });
  const close = () => {
    server.kill();
    return once(server, "exit");
  };
  return { url, close, built, builtWithCacheComponents, sent };
}

export function defineMore({ app, mock }) {
  async function createJob() {
    const client = new ScreenshotSets();
    const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
    await client.screenshots.create({ appId, device: "iphone-69" });
  }
  const page = async (path) => (await fetch(app.url + path)).text();

  test("builds pages that call the service as dynamic ones, and sends nothing", () => {
    for (const path of ["/", "/waiting"]) {
      assert.match(app.built, new RegExp(`ƒ ${path}\\s`));
      assert.match(app.builtWithCacheComponents, new RegExp(`◐ ${path}\\s`));
    }
    assert.equal(app.sent, 0);
  });

  test("asks for each view of a page anew", async () => {
    await createJob();
    for (const status of ["queued", "running", "succeeded"]) {
      assert.match(await page("/"), new RegExp(`<h1>The job is ${status}</h1>`));
    }
  });

  test("waits in a page", async () => {
    await createJob();
    assert.match(await page("/waiting"), /<h1>The job has succeeded<\/h1>/);
  });

  test("creates a set in a server action, which redirects", async () => {
    const [, action] = /name="(\$ACTION_ID_\w+)"/.exec(await page("/action"));
    const form = new FormData();
    form.set(action, "");
    form.set("iosUrl", "https://apps.apple.com/us/app/example/id1");
    const response = await fetch(`${app.url}/action`, { method: "POST", body: form, redirect: "manual" });
    assert.equal(response.status, 303);
    assert.match(response.headers.get("location"), /created=job_1$/);
    assert.equal(mock.credits.used, 10);
  });

  test("plans a set on a mock in a route", async () => {
    const response = await fetch(`${app.url}/mocked`);
    assert.deepEqual(await response.json(), {
      status: "succeeded",
      credits: { cost: 10, remaining: 90 },
    });
  });
}
