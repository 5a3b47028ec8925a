import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Mock } from "screenshot-sets/mock";
import { expect, onTestFinished, test } from "vitest";
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
  return { XDG_CACHE_HOME, files };
}

/** Runs a command for a set whose job takes so long. */
async function create(mock: Mock, environment: Record<string, string>, runningMs: number) {
  mock.nextJob({ outcome: "succeeded", lifecycle: { queued: 0, running: runningMs, unit: "ms" } });
  expect(await run(["create", ...leastFlags], environment)).toMatchObject({ code: 0 });
}

/** How many jobs of all kinds a file remembers. */
const jobsIn = (file = "") => (/^1 \* (.*)$/m.exec(readFileSync(file, "utf8"))?.[1]?.length ?? 0) / 4;

test("keeps how long jobs take in the user's cache folder, in a file for each address that only the user can read", async () => {
  const { XDG_CACHE_HOME, files } = cache();
  const { mock, environment } = await serveElsewhere();
  const SCREENSHOT_SETS_BASE_URL = `${environment.SCREENSHOT_SETS_BASE_URL}/`;
  await create(mock, { ...environment, XDG_CACHE_HOME }, 10);
  await create(mock, { ...environment, SCREENSHOT_SETS_BASE_URL, XDG_CACHE_HOME }, 300);
  expect(files().map(jobsIn)).toEqual([2]);
  const [file = ""] = files();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).toMatch(/^(1 (\*|[0-9a-z]{1,7}) ([0-9a-z]{4})+\n)+$/);
  expect(file).not.toContain("service");
  const other = await serveElsewhere();
  await create(other.mock, { ...other.environment, XDG_CACHE_HOME }, 10);
  expect(files().map(jobsIn).sort()).toEqual([1, 2]);
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

test("keeps it below the home where there is no cache folder, and works where nothing can be kept", async () => {
  const { mock, environment } = await serveElsewhere();
  const { XDG_CACHE_HOME: HOME } = cache();
  await create(mock, { ...environment, HOME, XDG_CACHE_HOME: "relative" }, 10);
  const usual = process.platform === "darwin" ? join("Library", "Caches") : ".cache";
  expect(readdirSync(join(HOME, usual, "screenshot-sets"))).toHaveLength(1);
  const file = join(HOME, "file");
  writeFileSync(file, "no folder");
  for (const nowhere of [{ XDG_CACHE_HOME: file }, { HOME: "/proc/none" }, {}]) {
    await create(mock, { ...environment, ...nowhere }, 10);
  }
  expect(readFileSync(file, "utf8")).toBe("no folder");
});

test("a broken file fails no command, leaves the last line last, and is replaced", async () => {
  const { mock, environment } = await serveElsewhere();
  const { XDG_CACHE_HOME, files } = cache();
  await create(mock, { ...environment, XDG_CACHE_HOME }, 10);
  writeFileSync(files()[0] as string, "{]\0\n1 __proto__ 0000\n1 * 00");
  const flags = ["--verbose", "--timeout", "0"];
  const late = await run(["create", ...leastFlags, ...flags], { ...environment, XDG_CACHE_HOME });
  expect(late).toMatchObject({ code: 3, stderr: expect.stringContaining("makes no sense") });
  expect(late.stderr).toMatch(/\nscreenshot-sets wait job_2\n$/);
  await create(mock, { ...environment, XDG_CACHE_HOME }, 10);
  expect(files().map(jobsIn)).toEqual([1]);
});
