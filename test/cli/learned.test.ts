import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ScreenshotSets } from "screenshot-sets";
import type { Mock } from "screenshot-sets/mock";
import { expect, onTestFinished, test } from "vitest";
import { pace } from "../../src/wait/pace.js";
import { leastFlags, run, serve } from "./run.js";

/**
 * A mock under an address that is not this machine's own, for which nothing would be kept: the command's `fetch` leads
 * there.
 */
async function serveElsewhere() {
  const { mock, environment } = await serve();
  const route = `const { fetch } = globalThis;
    globalThis.fetch = (url, init) => fetch(url.replace(/^https:..[^/]+.api.v1/, "${environment.SCREENSHOT_SETS_BASE_URL}"), init);`;
  const NODE_OPTIONS = `--import=data:text/javascript;base64,${Buffer.from(route).toString("base64")}`;
  const { port } = new URL(environment.SCREENSHOT_SETS_BASE_URL);
  const SCREENSHOT_SETS_BASE_URL = `https://service-${port}.test/api/v1`;
  return { mock, environment: { ...environment, SCREENSHOT_SETS_BASE_URL, NODE_OPTIONS } };
}

/** A cache folder of the test's own, and what is kept in it. */
function cache() {
  const XDG_CACHE_HOME = mkdtempSync(join(tmpdir(), "screenshot-sets-cache-"));
  onTestFinished(() => rmSync(XDG_CACHE_HOME, { recursive: true, force: true }));
  const folder = join(XDG_CACHE_HOME, "screenshot-sets");
  const files = () => (existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []);
  const texts = () => files().map((file) => readFileSync(file, "utf8"));
  return { XDG_CACHE_HOME, folder, files, texts };
}

/** Runs a command for a set whose job takes so long. */
async function create(mock: Mock, environment: Record<string, string>, runningMs: number) {
  mock.nextJob({ outcome: "succeeded", lifecycle: { queued: 0, running: runningMs, unit: "ms" } });
  const outcome = await run(["create", ...leastFlags], environment);
  expect(outcome).toMatchObject({ code: 0 });
  return outcome;
}

/** How many jobs of all kinds are remembered. */
const jobsIn = (text = "") => (/^1 \* (.*)$/m.exec(text)?.[1]?.length ?? 0) / 4;

test("keeps how long jobs take in the user's cache folder, in one file that only the user can read", async () => {
  const { mock, environment } = await serveElsewhere();
  const { XDG_CACHE_HOME, files, texts } = cache();
  for (const [index, runningMs] of [10, 300].entries()) {
    await create(mock, { ...environment, XDG_CACHE_HOME }, runningMs);
    expect(texts().map(jobsIn)).toEqual([index + 1]);
  }
  const [file = ""] = files();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(texts()[0]).toMatch(/^(1 (\*|[0-9a-z]{1,7}) ([0-9a-z]{4})+\n)+$/);
  expect(file).not.toContain("service");
});

test("loses nothing of two commands that run at once", async () => {
  const { mock, environment } = await serveElsewhere();
  const { XDG_CACHE_HOME, texts } = cache();
  const own = { ...environment, XDG_CACHE_HOME };
  await Promise.all([create(mock, own, 50), create(mock, own, 800)]);
  await create(mock, own, 10);
  expect(texts().map(jobsIn)).toEqual([3]);
});

test("polls when earlier commands saw jobs end", async () => {
  const { mock, environment } = await serveElsewhere();
  const { XDG_CACHE_HOME, files } = cache();
  await create(mock, { ...environment, XDG_CACHE_HOME }, 10);
  const client = new ScreenshotSets(mock.clientOptions);
  for (let job = 0; job < 20; job++) {
    client[pace].learn({ appId: "app_1", device: "iphone-69", count: 5 }, 1_900 + job, 2_100 + job);
  }
  writeFileSync(files()[0] as string, client.learned());
  const before = mock.requests({ operation: "getJob" }).length;
  await create(mock, { ...environment, XDG_CACHE_HOME }, 1_950);
  expect(mock.requests({ operation: "getJob" }).length - before).toBeLessThanOrEqual(3);
});

test("keeps what it learned for each address apart, and the files of fifty addresses at the most", async () => {
  const { XDG_CACHE_HOME, folder, files } = cache();
  const [one, other] = [await serveElsewhere(), await serveElsewhere()];
  await create(one.mock, { ...one.environment, XDG_CACHE_HOME }, 10);
  const SCREENSHOT_SETS_BASE_URL = `${one.environment.SCREENSHOT_SETS_BASE_URL}/`;
  await create(one.mock, { ...one.environment, SCREENSHOT_SETS_BASE_URL, XDG_CACHE_HOME }, 300);
  expect(files()).toHaveLength(1);
  for (let address = 0; address < 60; address++) writeFileSync(join(folder, `${address}.txt`), "");
  await create(other.mock, { ...other.environment, XDG_CACHE_HOME }, 10);
  expect(files()).toHaveLength(50);
  expect(files().filter((file) => readFileSync(file, "utf8") !== "")).not.toEqual([]);
});

test("keeps nothing of a mock, nor for addresses of this machine", async () => {
  const { mock, environment } = await serve();
  const { XDG_CACHE_HOME, files } = cache();
  for (const host of ["127.0.0.1", "localhost"]) {
    const SCREENSHOT_SETS_BASE_URL = environment.SCREENSHOT_SETS_BASE_URL.replace("127.0.0.1", host);
    await create(mock, { ...environment, SCREENSHOT_SETS_BASE_URL, XDG_CACHE_HOME }, 10);
  }
  expect(await run(["create", "--mock", ...leastFlags], { XDG_CACHE_HOME })).toMatchObject({ code: 0 });
  expect(files()).toEqual([]);
});

test("keeps it below the home where there is no cache folder", async () => {
  const { mock, environment } = await serveElsewhere();
  const { XDG_CACHE_HOME: HOME } = cache();
  await create(mock, { ...environment, HOME, XDG_CACHE_HOME: "relative" }, 10);
  const usual = process.platform === "darwin" ? join("Library", "Caches") : ".cache";
  expect(readdirSync(join(HOME, usual, "screenshot-sets"))).toHaveLength(1);
});

test("works where nothing can be kept", async () => {
  const { mock, environment } = await serveElsewhere();
  const file = join(cache().XDG_CACHE_HOME, "file");
  writeFileSync(file, "no folder");
  for (const nowhere of [{ XDG_CACHE_HOME: file }, { HOME: "/proc/none" }, {}]) {
    await create(mock, { ...environment, ...nowhere }, 10);
  }
  expect(readFileSync(file, "utf8")).toBe("no folder");
});

test.each([
  ["broken", "{]\0\n1 __proto__ 0000\n1 * 00"],
  ["far too large", "1 a 0000\n".repeat(100_000)],
])("a file that is %s fails no command, leaves the last line last, and is replaced", async (what, text) => {
  const { mock, environment } = await serveElsewhere();
  const { XDG_CACHE_HOME, files, texts } = cache();
  await create(mock, { ...environment, XDG_CACHE_HOME }, 10);
  writeFileSync(files()[0] as string, text);
  const flags = ["--verbose", "--timeout", "0"];
  const late = await run(["create", ...leastFlags, ...flags], { ...environment, XDG_CACHE_HOME });
  expect(late.code).toBe(3);
  if (what === "broken") expect(late.stderr).toContain("makes no sense");
  expect(late.stderr).toMatch(/\nscreenshot-sets wait job_2\n$/);
  await create(mock, { ...environment, XDG_CACHE_HOME }, 10);
  expect(texts().map(jobsIn)).toEqual([1]);
});
