import { expect, test } from "vitest";
import { leastFlags, serve } from "./run.js";
import { Terminal } from "./terminal.js";

/** Moves a job through its states by hand, and returns the terminal. */
async function followed(environment: Record<string, string>, columns?: number): Promise<Terminal> {
  const { mock, environment: service } = await serve({ lifecycle: "manual" });
  const terminal = new Terminal(["create", ...leastFlags], { ...service, ...environment }, columns);
  await terminal.shows(/is queued/);
  mock.jobs.advance("job_1");
  await terminal.shows(/is running/);
  mock.jobs.succeed("job_1");
  expect(await terminal.exitCode).toBe(0);
  return terminal;
}

test("shows the state, the elapsed time and the polls on one line that is rewritten", async () => {
  const { raw, screen } = await followed({});
  // A terminal is sent no commands, so there is no colour to turn off.
  expect(raw).not.toContain("\u001b");
  expect(raw).toMatch(/\rJob job_1 is queued \(\d+ s, \d+ polls?\)/);
  expect(raw).toMatch(/\rJob job_1 is running \(\d+ s, \d+ polls\)/);
  expect(screen).not.toMatch(/is (accepted|queued|running)/);
  expect(screen.split("\n").slice(0, 5)).toEqual([
    expect.stringMatching(/^App app_1 was created: /),
    "Job job_1 was accepted: 10 credits were charged, 90 are left",
    expect.stringMatching(/^Job job_1 has succeeded \(\d+ s, \d+ polls\)$/),
    expect.stringMatching(/: 5 slides for iphone-69$/),
    "",
  ]);
});

test("the live line keeps counting the time while nothing changes", async () => {
  const { environment } = await serve({ lifecycle: "manual" });
  const terminal = new Terminal(["create", ...leastFlags], environment);
  await terminal.shows(/is queued \(0/);
  await terminal.shows(/is queued \([1-9]/);
});

test("the live line never wraps", async () => {
  const { raw } = await followed({}, 24);
  const live = raw.split(/\r\n|\r/).filter((line) => line.startsWith("Job job_1 is"));
  expect(live).toContainEqual(expect.stringMatching(/^Job job_1 is running \(\d$/));
  expect(live.filter((line) => line.length > 23)).toEqual([]);
});

test.each([{ CI: "true" }, { TERM: "dumb" }])("has a line for each change under %o", async (environment) => {
  const { raw, screen } = await followed(environment);
  expect(raw.replaceAll("\r\n", "")).not.toContain("\r");
  expect(screen).toMatch(/^Job job_1 is queued \(\d+ s, \d+ polls?\)$/m);
  expect(screen).toMatch(/^Job job_1 is running \(\d+ s, \d+ polls?\)$/m);
});

test("Ctrl-C leaves the command that resumes the wait, alone on the last line", async () => {
  const { environment } = await serve({ lifecycle: "manual" });
  const terminal = new Terminal(["create", ...leastFlags, "--json"], environment);
  await terminal.shows(/is queued/);
  terminal.type("\u0003");
  expect(await terminal.exitCode).toBe(130);
  expect(terminal.screen.trimEnd().split("\n").at(-1)).toBe("screenshot-sets wait job_1 --json");
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

test("a terminal shows control characters of the service and does not act on them", async () => {
  const { mock, environment } = await serve({ lifecycle: "instant" });
  const hostile = "\u001b]0;title\u0007\u001b[2J\u009b31m\u202egnp\rover";
  mock.nextJob({
    outcome: "succeeded",
    slides: [{ caption: hostile, [hostile]: [hostile, { [hostile]: 1 }] }],
  });
  for (const args of [
    ["create", ...leastFlags],
    ["job", "job_1", "--json"],
  ]) {
    const terminal = new Terminal(args, environment);
    expect(await terminal.exitCode).toBe(0);
    const { raw } = terminal;
    for (const sign of ["\u0007", "\u001b", "\u009b", "\u202e", "\rover"]) expect(raw).not.toContain(sign);
    expect(raw).toMatch(/\\u001b]0;title\\u0007\\u001b\[2J\\u009b31m\\u202egnp\\(r|u000d)over/);
  }
});
