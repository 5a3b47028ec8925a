import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createMock } from "screenshot-sets/mock";
import { beforeEach, expect, test, vi } from "vitest";
import { batch } from "../../src/cli/commands/batch.js";
import { create } from "../../src/cli/commands/create.js";
import { verify } from "../../src/cli/commands/verify.js";
import { wait } from "../../src/cli/commands/wait.js";
import { shellQuoted } from "../../src/cli/typed-command.js";
import { temporaryFolder } from "../helpers/temporary-folder.js";
import { catchOutput, lastLine } from "./run.js";

/** Ids as a service, or what stands in its place, may choose them. */
const typeable = [
  ...["job 9", " job", "it's", '"quoted"', "$(touch PASTED)", "`touch PASTED`", "a;touch PASTED", "a&b|c>d"],
  ...["-rf", "--json", "--", "=ls", "~", "*", "a\\b", "#a", "!1", "%PATH%", "été"],
];
const untypeable = [
  "job_1\ntouch PASTED #",
  "job\r\n1",
  "a\tb",
  "\u001b[2Jjob",
  "job\u0007",
  "\u202egnp",
  "a\u2028b",
];

/** What stands for the program, and tells its arguments. */
let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  const program = join(folder, "screenshot-sets");
  writeFileSync(program, '#!/bin/sh\nprintf "%s\\0" "$@"\n');
  chmodSync(program, 0o755);
  writeFileSync(join(folder, "sets.json"), '{ "sets": { "a": { "appId": "a", "device": "iphone-69" } } }');
});

/** The arguments that a shell makes of a line. */
function argumentsIn(line: string): string[] {
  const env = { PATH: `${folder}:${process.env.PATH}` };
  return execFileSync("sh", ["-c", line], { cwd: folder, env, encoding: "utf8" }).split("\0").slice(0, -1);
}

/** The job of a command that waits for one, as that reads it. */
function jobIn(line = ""): string | undefined {
  const [command, ...args] = argumentsIn(line);
  const options = { json: { type: "boolean" }, out: { type: "string" } } as const;
  const { positionals } = parseArgs({ args, options, allowPositionals: true });
  return command === "wait" && positionals.length === 1 ? positionals[0] : undefined;
}

/** The service's answer to a create; its jobs never end. */
let accepted: { status: number; body: Record<string, unknown> };
let appId: string;
beforeEach(() => {
  const mock = createMock();
  vi.stubEnv("SCREENSHOT_SETS_API_KEY", mock.clientOptions.apiKey);
  vi.stubEnv("SCREENSHOT_SETS_BASE_URL", mock.clientOptions.baseUrl);
  vi.stubEnv("npm_config_user_agent", "");
  vi.stubGlobal("fetch", async (...[url, init]: Parameters<typeof fetch>) => {
    const { pathname } = new URL(String(url));
    const id = decodeURIComponent(pathname.split("/").at(-1) ?? "");
    const isMadeUp = /openapi|no-such-job/.test(pathname) || /^\{\}$|no-such-app/.test(String(init?.body));
    if (isMadeUp) return mock.fetch(url, init);
    if (pathname.endsWith("/apps")) return Response.json({ appId, name: "n", category: "c", artworkUrl: "" });
    if (init?.method === "POST") return Response.json(accepted.body, { status: accepted.status });
    return Response.json({ id, status: "running", result: null, error: null });
  });
});

/** Runs a command in this process. */
async function told(command: (args: string[]) => Promise<number>, ...args: string[]) {
  vi.spyOn(process, "argv", "get").mockReturnValue(["node", "main.js", ...args]);
  const printed = catchOutput();
  await command(args).finally(() => vi.restoreAllMocks());
  return printed;
}

const set = ["--app-id", "a", "--device", "iphone-69"];
const brief = ["--timeout", "0"];
const ends: Record<string, (jobId: string) => ReturnType<typeof told>> = {
  "create that timed out": () => told(create, ...set, ...brief, "--json", "--out", "-"),
  "create --no-wait": () => told(create, ...set, "--no-wait"),
  "create of two sets": () => told(create, ...set, "--device", "ipad-pro", ...brief),
  "verify --spend": () => told(verify, "--spend", "10", "--app-id", "a", ...brief),
  "wait that timed out": (jobId) => told(wait, ...brief, "--", jobId),
};

test.each(Object.keys(ends))("the last line of a %s names its job to a shell, or is none", async (name) => {
  for (const jobId of [...typeable, ...untypeable]) {
    accepted = { status: 201, body: { jobId, credits: { cost: 10, remaining: 90 } } };
    const { stdout, stderr } = await (ends[name] as (jobId: string) => ReturnType<typeof told>)(jobId);
    const line = lastLine(stderr) ?? "";
    if (typeable.includes(jobId)) expect(jobIn(line), line).toBe(jobId);
    else expect(stderr).not.toMatch(/^screenshot-sets/m);
    // Of what a terminal acts on, only the program's own line breaks are printed.
    expect((stdout + stderr).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e\u2028]/u);
    expect(stderr).not.toMatch(/^touch/m);
  }
});

test.each([...typeable, ...untypeable])(
  "the flag that uses app %j again is read as such, or is not printed",
  async (id) => {
    appId = id;
    accepted = { status: 402, body: {} };
    const { stderr } = await told(
      create,
      "--ios-url",
      "https://apps.apple.com/app/id1",
      "--device",
      "iphone-69",
    );
    const [, flag] = /: (--app-id.*) uses it again\.$/m.exec(stderr) ?? [];
    expect(flag === undefined).toBe(untypeable.includes(id));
    if (flag === undefined) return;
    const { values } = parseArgs({
      args: argumentsIn(`screenshot-sets ${flag}`),
      options: { "app-id": { type: "string" } },
    });
    expect(values).toEqual({ "app-id": id });
  },
);

test("the last line of a batch is what was typed, to a shell too", async () => {
  accepted = { status: 402, body: {} };
  for (const name of typeable.filter((one) => !/[/]/.test(one))) {
    const typed = ["batch", "--state", `${folder}/${name}.state`, "--", join(folder, "sets.json")];
    const { stderr } = await told((args) => batch(args.slice(1)), ...typed);
    expect(argumentsIn(lastLine(stderr) ?? "")).toEqual(typed);
  }
});

test.each([
  ["job_1", "job_1"],
  ["C:\\out\\a.json", "C:\\out\\a.json"],
  ["--dangerously-allow-http", "--dangerously-allow-http"],
  ["job 9", "'job 9'"],
  ["$(calc)", "'$(calc)'"],
  ["it's ‘so’", "'it''s ‘‘so’’'"],
  ["--", "'--'"],
  ["-a.b", "'-a.b'"],
  ["@a", "'@a'"],
  ["a,b", "'a,b'"],
  ["", "''"],
])("PowerShell reads %j as one word, written as %s", (text, quoted) => {
  expect(shellQuoted(text, "win32")).toBe(quoted);
});
