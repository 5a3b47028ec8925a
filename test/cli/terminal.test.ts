import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../helpers/temporary-folder.js";
import { accept, lastLine, leastFlags, serve } from "./run.js";
import { Terminal } from "./terminal.js";

test("shows the state, the elapsed time and the polls on one line that is rewritten, without colours", async () => {
  const { mock, environment } = await serve({ lifecycle: "manual" });
  const terminal = new Terminal(["create", ...leastFlags], environment);
  // It keeps counting the time while nothing changes.
  await terminal.shows(/is queued \([1-9]/);
  mock.jobs.advance("job_1");
  await terminal.shows(/is running/);
  mock.jobs.succeed("job_1");
  expect(await terminal.exitCode).toBe(0);
  const { lines, screen } = terminal;
  expect(lines.join("")).not.toMatch(/\p{Cc}/u);
  for (const state of ["queued", "running"])
    expect(lines).toContainEqual(expect.stringMatching(`^Job job_1 is ${state} \\(\\d+ s, \\d+ polls?\\)$`));
  expect(screen.split("\n").slice(0, 5)).toEqual([
    "App app_1 was created: Mock app_1",
    "Job job_1 was accepted: 10 credits were charged, 90 are left",
    expect.stringMatching(/^Job job_1 has succeeded \(\d+ s, \d+ polls\)$/),
    "Mock app_1: 5 slides for iphone-69",
    "",
  ]);
});

test("has a line for each change where a terminal cannot rewrite lines", async () => {
  for (const environment of [{ CI: "true" }, { TERM: "dumb" }]) {
    const { environment: service } = await serve();
    const terminal = new Terminal(["create", ...leastFlags], { ...service, ...environment });
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.raw).not.toContain("\u001b");
    for (const state of ["is queued", "is running", "has succeeded"])
      expect(terminal.screen).toMatch(new RegExp(`^Job job_1 ${state} \\(\\d+ s, \\d+ polls?\\)$`, "m"));
  }
});

test("shows the sets in work in lines that never wrap, as many as fit, and how many have ended; those stay above", async () => {
  const { mock, environment } = await serve({ lifecycle: "manual", allowance: 2_000 });
  const file = join(temporaryFolder(), "sets.json");
  const keys = Array.from({ length: 60 }, (_, index) => `set ${index}`).with(53, "x".repeat(200));
  const set = { appId: "app_1", device: "iphone-69" };
  writeFileSync(file, JSON.stringify({ sets: Object.fromEntries(keys.map((key) => [key, set])) }));
  await accept(mock);
  const terminal = new Terminal(["batch", file, "--concurrency", "55"], environment);
  await terminal.shows(/^0 of 60 sets ended, \d+ s$/m);
  await terminal.shows(/^set 54: job_56 is queued \(\d+ s\)$/m);
  expect(terminal.screen).not.toMatch(/^set 0: job_2 is/m);
  expect(terminal.screen.split("\n")).toContain("x".repeat(99));
  mock.jobs.succeed("job_2");
  await terminal.shows(/^1 of 60 sets ended, \d+ s$/m);
  expect(terminal.screen).toMatch(/^set 0: succeeded \(5 slides, job_2, 10 credits\)$/m);
  terminal.type("\u0003");
  expect(await terminal.exitCode).toBe(130);
  expect(terminal.screen).not.toMatch(/ is queued| sets ended, \d+ s$/m);
  expect(terminal.screen).toMatch(/^Interrupted\. 1 succeeded, 5\d waiting, \d+ skipped: /m);
  expect(lastLine(terminal.screen)).toBe(`screenshot-sets batch ${file} --concurrency 55`);
});

test("Ctrl-C leaves the command that resumes the wait, alone on the last line", async () => {
  const { environment } = await serve({ lifecycle: "manual" });
  const terminal = new Terminal(["create", ...leastFlags, "--json"], environment);
  await terminal.shows(/is queued/);
  terminal.type("\u0003");
  expect(await terminal.exitCode).toBe(130);
  expect(lastLine(terminal.screen)).toBe("screenshot-sets wait job_1 --json");
});

test("Ctrl-C reaches the command that the mock runs once", async () => {
  const program = `
    let interrupts = 0;
    process.on("SIGINT", () => {
      interrupts++;
      console.log("interrupt " + interrupts);
    });
    process.on("SIGTERM", () => process.exit(interrupts));
    setInterval(() => {}, 1000);
    console.log("ready");`;
  const terminal = new Terminal(["mock", "--port", "0", "--", process.execPath, "-e", program], {});
  await terminal.shows(/ready/);
  // Held until the program has got its own, because two signals at the same time count as one.
  process.kill(terminal.pid, "SIGSTOP");
  terminal.type("\u0003");
  await terminal.shows(/interrupt 1/);
  process.kill(terminal.pid, "SIGCONT");
  // Forwarded after everything else, so the count is final.
  process.kill(terminal.pid, "SIGTERM");
  expect(await terminal.exitCode).toBe(1);
});
