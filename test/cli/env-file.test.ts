import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, inject, test } from "vitest";
import { temporaryFolder } from "../helpers/temporary-folder.js";
import { accept, leastFlags, run, serve } from "./run.js";

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, ".env");
});

test("--env-file sets the key and the address, whatever byte order mark it has, and nothing that is set already", async () => {
  const { mock, environment } = await serve({ lifecycle: "instant" });
  await accept(mock);
  const { SCREENSHOT_SETS_API_KEY: key, SCREENSHOT_SETS_BASE_URL: url } = environment;
  const wrong = "http://127.0.0.1:1/api/v1";
  writeFileSync(
    file,
    `\ufeffSCREENSHOT_SETS_BASE_URL=${url}\nexport SCREENSHOT_SETS_API_KEY="${key}" # of staging\n`,
  );
  const found = await run(["job", "job_1", "--env-file", file, "--json"]);
  expect(found).toMatchObject({ code: 0, stderr: "" });
  writeFileSync(file, `SCREENSHOT_SETS_BASE_URL=${wrong}\nSCREENSHOT_SETS_API_KEY=wrong\n`);
  expect(await run(["job", "job_1", "--env-file", file, "--json"], environment)).toEqual(found);
});

test("a command within a sentence has --env-file too", async () => {
  const { mock, environment } = await serve();
  writeFileSync(
    file,
    Object.entries(environment)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
  );
  mock.nextJob({ outcome: "failed", error: { message: "The listing is empty" } });
  const { stderr } = await run(["create", ...leastFlags, "--env-file", file, "--dangerously-allow-http"]);
  expect(stderr).toContain(
    ` For details, run "screenshot-sets job job_1 --env-file ${file} --dangerously-allow-http".`,
  );
});

test("a dry run takes --env-file too", async () => {
  const sets = join(folder, "sets.json");
  writeFileSync(sets, JSON.stringify({ sets: { a: { appId: "app_1", device: "iphone-69" } } }));
  writeFileSync(file, "SCREENSHOT_SETS_BASE_URL=not-an-address\n");
  const { code, stderr } = await run(["batch", sets, "--dry-run", "--env-file", file]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^Expected SCREENSHOT_SETS_BASE_URL to be the service's address/);
});

test("an --env-file that cannot be read exits 2", async () => {
  // Without `--`, Node ends itself, before the command begins.
  const args = [inject("command"), "job", "job_1", "--env-file", file];
  const { code, stdout, stderr } = await run(args, {}, "--");
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(new RegExp(`^Cannot use --env-file ${file}: there is no such file\\.\n`));
});
