import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { temporaryFolder } from "../helpers/temporary-folder.js";
import { installed, startIn } from "./installed.js";
import { accept, lastLine, run, serve } from "./run.js";

const npx = ["npx", "--no-install", "screenshot-sets"];
const batch = ["batch", "sets.json", "--concurrency", "1"];
const sets = { a: { appId: "app_1", device: "iphone-69" }, b: { appId: "app_1", device: "ipad-pro" } };

test.each([
  { typed: [...npx, ...batch], signal: "SIGTERM" },
  { typed: [...npx, ...batch], signal: "SIGHUP" },
  { typed: ["npm", "run", "plan"], signal: "SIGKILL" },
  { typed: ["npm", "run", "nested"], signal: "SIGKILL" },
] as const)("$signal to $typed ends the batch, which orders nothing more", async ({ typed, signal }) => {
  const { mock, environment } = await serve({ lifecycle: "manual" });
  await accept(mock);
  const command = `screenshot-sets ${batch.join(" ")}`;
  const folder = installed({ plan: command, nested: `npx --no-install ${command}` });
  writeFileSync(join(folder, "sets.json"), JSON.stringify({ sets }));
  const started = startIn(folder, environment, typed);
  await expect.poll(() => started.text).toMatch(/job_2 is queued/);
  started.child.kill(signal);
  await started.closed;
  expect(started.text).toMatch(/^Interrupted\. 1 waiting, 1 skipped: /m);
  // The two outputs may arrive in any order.
  expect(started.text).toContain(`\nnpx ${command}\n`);
  expect(mock.requests({ operation: "createScreenshots" })).toHaveLength(2);
});

test("killing npx leaves no mock with its port, and ends the command that the mock runs", async () => {
  const folder = installed();
  const program = `process.on("SIGTERM", () => { console.log("told"); process.exit(); });
    setInterval(() => {}, 1000);
    console.log(process.env.SCREENSHOT_SETS_BASE_URL);`;
  const started = [
    startIn(folder, {}, [...npx, "mock", "--port", "0"]),
    startIn(folder, {}, [...npx, "mock", "--", process.execPath, "-e", program]),
  ];
  for (const one of started) {
    await expect.poll(() => one.text).toMatch(/http:\/\/\S+\/api\/v1/);
    const [url = ""] = /http:\/\/\S+\/api\/v1/.exec(one.text) ?? [];
    one.child.kill("SIGKILL");
    await one.closed;
    await expect(fetch(url)).rejects.toThrow();
  }
  expect(started[1]?.text).toMatch(/^told$/m);
});

test("what a shell below npm puts into the background stays when that shell and npm end", async () => {
  const { mock, environment } = await serve({ lifecycle: "manual" });
  await accept(mock);
  const folder = installed({ wait: "sh wait.sh" });
  const script = "screenshot-sets wait job_1 &\nuntil test -e end; do sleep 0.1; done";
  writeFileSync(join(folder, "wait.sh"), script);
  const started = startIn(folder, environment, ["npm", "run", "wait"]);
  await expect.poll(() => started.text).toMatch(/is queued/);
  writeFileSync(join(folder, "end"), "");
  await once(started.child, "exit");
  // Whether npm is there is looked each second, in which no five polls are sent.
  const before = mock.requests().length;
  await expect.poll(() => mock.requests().length).toBeGreaterThan(before + 5);
  mock.jobs.succeed("job_1");
  await started.closed;
  expect(started.text).toMatch(/Job job_1 has succeeded/);
});

/** The command where `dlx` would have installed it. */
function linkedIn(path: string): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, path), { recursive: true });
  const link = join(folder, path, "main.js");
  symlinkSync(inject("command"), link);
  return link;
}

const agent = (name: string) => ({ npm_config_user_agent: `${name}/1.2.3 node/v20.19.0 linux x64` });

test.each([
  { environment: { ...agent("npm"), npm_lifecycle_script: "'screenshot-sets'" }, runner: "npx " },
  { environment: { ...agent("npm"), npm_lifecycle_script: "screenshot-sets wait job_1" }, runner: "npx " },
  { environment: { ...agent("npm"), npm_lifecycle_script: "vitest run" }, runner: "" },
  { environment: agent("pnpm"), runner: "pnpm exec " },
  { environment: agent("pnpm"), folder: "pnpm/dlx/1a2b", runner: "pnpm dlx " },
  { environment: agent("yarn"), runner: "yarn " },
  { environment: agent("yarn"), folder: "xfs-1a2b/dlx-77", runner: "yarn dlx " },
  { environment: agent("bun"), runner: "bunx " },
  { environment: agent("cnpm"), runner: "" },
])(
  "$environment, $folder: the line that goes on begins with '$runner'",
  async ({ environment, folder, runner }) => {
    const served = await serve({ lifecycle: "manual" });
    await accept(served.mock);
    const command = folder === undefined ? inject("command") : linkedIn(folder);
    const args = ["wait", "job_1", "--timeout", "0"];
    const { stderr } = await run(args, { ...served.environment, ...environment }, command);
    expect(lastLine(stderr)).toBe(`${runner}screenshot-sets wait job_1`);
  },
);
