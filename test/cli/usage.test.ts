import { devices } from "screenshot-sets";
import manifest from "screenshot-sets/package.json" with { type: "json" };
import { expect, test } from "vitest";
import { requestFields } from "../../src/generated/values.js";
import { leastFlags, listing, run, serve } from "./run.js";

const commands = ["create", "batch", "wait", "job", "mock", "completion"];

test.each(commands)("%s --help shows its usage, with an example", async (command) => {
  for (const flags of [["--help"], ["-h"], ["--help", "--unknown"]]) {
    const { code, stdout, stderr } = await run([command, ...flags]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^Usage: screenshot-sets ${command} `));
    expect(stdout).toMatch(new RegExp(`\\nExamples?:\\n  screenshot-sets ${command} `));
    expect(stdout.split("\n").filter((line) => line.length > 120)).toEqual([]);
  }
});

test("--help alone names every command, the variables and the exit codes", async () => {
  const { code, stdout, stderr } = await run(["--help"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${command} `, "m"));
  for (const name of ["API_KEY", "BASE_URL"]) expect(stdout).toContain(`SCREENSHOT_SETS_${name}`);
  for (const exitCode of [0, 1, 2, 3, 130]) expect(stdout).toMatch(new RegExp(`^  ${exitCode} `, "m"));
});

test("help does the same as --help", async () => {
  for (const command of [[], ["wait"]]) {
    const { code, stdout } = await run(["help", ...command]);
    expect(code).toBe(0);
    expect(stdout).toBe((await run([...command, "--help"])).stdout);
  }
});

test("--help names every option that the command takes", async () => {
  const common = ["--json", "--out", "--verbose", "--help", "--version"];
  const set = ["--count", "--caption-style", "--caption-length", "--narrative"];
  const own: Record<string, string[]> = {
    create: [
      "--ios-url",
      "--android-url",
      "--context",
      "--app-id",
      "--device",
      "--mock",
      "--no-wait",
      "--state",
      "--max-credits",
      "--timeout",
      ...set,
    ],
    batch: ["--state", "--max-credits", "--concurrency", "--dry-run", "--timeout"],
    wait: ["--timeout"],
    job: [],
    mock: ["--port", "--host", "--allow-host", "--allowance", "--lifecycle", "--id-prefix", "--no-page"],
    completion: [],
  };
  for (const command of commands) {
    const { stdout } = await run([command, "--help"]);
    const named = [...stdout.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, name]) => name);
    const expected = ["mock", "completion"].includes(command) ? ["--help", "--version"] : common;
    expect(named.sort()).toEqual([...(own[command] as string[]), ...expected].sort());
  }
});

test("create --help shows the values, ranges and defaults of the document", async () => {
  const { createApp: app, createScreenshots: set } = requestFields;
  const { stdout } = await run(["create", "--help"]);
  const lineOf = (flag: string) => stdout.split("\n").find((line) => line.startsWith(`  --${flag} `));
  const expectDefault = (flag: string, value: unknown) => {
    if (value !== undefined) expect(lineOf(flag)).toContain(`default ${value})`);
  };
  for (const device of devices) expect(lineOf("device")).toContain(device);
  for (const limit of [set?.count?.minimum, set?.count?.maximum]) {
    if (limit !== undefined) expect(lineOf("count")).toMatch(new RegExp(`\\b${limit}\\b`));
  }
  expectDefault("count", set?.count?.default);
  expectDefault("caption-style", set?.captionStyle?.default);
  for (const length of set?.captionLength?.values ?? []) expect(lineOf("caption-length")).toContain(length);
  const { maxLength } = app?.extraContext ?? {};
  if (maxLength !== undefined) expect(lineOf("context")).toContain(`at most ${maxLength} characters`);
});

test("--version prints the version, everywhere", async () => {
  for (const args of [[], ...commands.map((command) => [command])]) {
    expect(await run([...args, "--version"])).toMatchObject({
      code: 0,
      stdout: `${manifest.version}\n`,
      stderr: "",
    });
  }
});

const device = ["--device", "iphone-69"];

test.each<{ args: string[]; says: string }>([
  { args: [], says: "Expected a command." },
  { args: ["creat"], says: "Unknown command creat. Did you mean create?" },
  { args: ["toast"], says: "Unknown command toast.\n" },
  { args: ["ss_live_key"], says: "Unknown command." },
  { args: ["--json", "create"], says: "Unknown option --json." },
  { args: ["create"], says: "Expected --ios-url, --android-url or --app-id." },
  { args: ["create", ...listing], says: '--device: Expected "iphone-69", ' },
  { args: ["create", ...listing, "--device", "tv"], says: '--device: Expected "iphone-69", ' },
  { args: ["create", ...leastFlags, "--count", "0"], says: "--count: Expected at least 1." },
  { args: ["create", ...leastFlags, "--count", "11"], says: "--count: Expected at most 10." },
  { args: ["create", ...leastFlags, "--count", "many"], says: "Expected --count to be a whole number." },
  { args: ["create", ...leastFlags, "--count", "2.5"], says: "Expected --count to be a whole number." },
  { args: ["create", ...leastFlags, "--caption-length", "huge"], says: "--caption-length: Expected " },
  {
    args: ["create", ...leastFlags, "--context", "x".repeat(2001)],
    says: "--context: Expected at most 2000",
  },
  { args: ["create", "--ios-url", "", ...device], says: "--ios-url: Expected at least 1 character" },
  { args: ["create", "--app-id", "", ...device], says: "--app-id: Expected at least 1 character" },
  { args: ["create", ...leastFlags, "--app-id", "app_1"], says: "Expected either --app-id or --ios-url: " },
  { args: ["create", ...leastFlags, "--context", "a", "b"], says: "Expected only options, got 1 argument." },
  { args: ["create", ...leastFlags, "--", "b"], says: "Expected only options, got 1 argument." },
  { args: ["create", ...leastFlags, "--unknown=x"], says: "Unknown option --unknown." },
  { args: ["create", "--iosUrl", "x"], says: "Unknown option --iosUrl. Did you mean --ios-url?" },
  {
    args: ["create", ...leastFlags, "--captionLength=short"],
    says: "Unknown option --captionLength. Did you ",
  },
  { args: ["wait", "job_1", "--timeuot", "5"], says: "Unknown option --timeuot. Did you mean --timeout?" },
  { args: ["create", ...leastFlags, "-x"], says: "Unknown option -x." },
  { args: ["create", ...leastFlags, "--json=yes"], says: "Expected --json to stand without a value." },
  { args: ["create", ...listing, "--device"], says: "Expected a value after --device." },
  {
    args: ["create", ...listing, "--device", "--json"],
    says: "Expected a value after --device. Write",
  },
  { args: ["create", ...leastFlags, ...device], says: "Expected --device iphone-69 once." },
  {
    args: ["create", ...leastFlags, "--timeout", "soon"],
    says: "Expected --timeout to be a number of seconds.",
  },
  { args: ["create", ...leastFlags, "--timeout=-1"], says: "Expected --timeout to be a number of seconds." },
  { args: ["create", ...leastFlags, "--out", ""], says: "Cannot write to --out : its name is empty." },
  { args: ["wait"], says: "Expected a JOB_ID." },
  { args: ["wait", "job_1", "job_2"], says: "Expected one JOB_ID, got 2 arguments." },
  { args: ["wait", ".."], says: "JOB_ID: Expected a string that is not empty" },
  { args: ["wait", "job_1", "--timeout", ""], says: "Expected --timeout to be a number of seconds." },
  { args: ["wait", "job_1", "--device", "x"], says: "Unknown option --device." },
  { args: ["job"], says: "Expected a JOB_ID." },
  { args: ["job", ""], says: "JOB_ID: Expected a string that is not empty" },
  { args: ["job", "job_1", "--timeout", "5"], says: "Unknown option --timeout." },
  { args: ["mock", "--port", "x"], says: "Expected --port to be a whole number." },
  { args: ["mock", "--port", "65536"], says: "Expected --port to be a whole number from 0 to 65535." },
  { args: ["mock", "--allowance=-1"], says: "Expected --allowance to be a whole number of 0 or more." },
  { args: ["mock", "--lifecycle", "1p,2s"], says: "Expected --lifecycle to be instant, manual, or " },
  { args: ["mock", "--lifecycle", "slow"], says: "Expected --lifecycle to be instant, manual, or " },
  { args: ["mock", "node"], says: "Expected -- before the command." },
  { args: ["mock", "--"], says: "Expected a command after --." },
  { args: ["completion"], says: "Expected a shell." },
  { args: ["completion", "powershell"], says: "Expected the shell to be bash, zsh, fish." },
  { args: ["completion", "toString"], says: "Expected the shell to be bash, zsh, fish." },
  { args: ["mock", "--json"], says: "Unknown option --json." },
])("$args is refused: $says", async ({ args, says }) => {
  const { mock, environment } = await serve();
  const { code, stdout, stderr } = await run(args, environment);
  expect(code).toBe(2);
  const isJson = args.includes("--json") && args[0] === "create";
  if (isJson)
    expect(JSON.parse(stdout)).toMatchObject({ error: { name: "UsageError", message: expect.any(String) } });
  else expect(stdout).toBe("");
  expect(stderr.slice(0, says.length)).toBe(says);
  const command =
    commands.find((name) => name === args[0]) ??
    "<create \\| batch \\| wait \\| job \\| mock \\| completion>";
  expect(stderr).toMatch(new RegExp(`\\n\\nUsage: screenshot-sets ${command} .*\\n.*--help`));
  expect(mock.requests()).toEqual([]);
});

test("reports all mistakes in a set at once", async () => {
  const { environment } = await serve();
  const { stderr } = await run(["create", "--ios-url", "", "--device", "tv", "--count", "99"], environment);
  for (const option of ["--ios-url", "--device", "--count"]) expect(stderr).toContain(`${option}: Expected`);
});

test.each([
  "--api-key",
  "--apikey",
  "--api_key",
  "--key",
  "--token",
  "--secret",
  "--auth",
  "--authorization",
])("a key given as %s is refused with the reason, and not repeated", async (flag) => {
  const { mock, environment } = await serve();
  const typed = [[flag, "ss_live_typed"], [`${flag}=ss_live_typed`]];
  const places = typed.flatMap((words) => [words, ...commands.map((command) => [command, ...words])]);
  const outcomes = await Promise.all(places.map((args) => run([...args, "--help"], environment)));
  for (const { code, stdout, stderr } of outcomes) {
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(
      new RegExp(
        `^Refused ${flag}: .*see what is typed.*environment, as SCREENSHOT_SETS_API_KEY.*\\n\\nUsage: `,
      ),
    );
    expect(stderr).not.toContain("ss_live_typed");
  }
  expect(mock.requests()).toEqual([]);
});

test("a missing key or address is named", async () => {
  const { environment } = await serve();
  const variables = ["SCREENSHOT_SETS_API_KEY", "SCREENSHOT_SETS_BASE_URL"] as const;
  const wanted = [
    ["create", ...leastFlags],
    ["wait", "job_1"],
    ["job", "job_1"],
  ];
  for (const missing of [[variables[0]], [variables[1]], variables]) {
    const rest = Object.fromEntries(
      Object.entries(environment).filter(([name]) => !missing.includes(name as never)),
    );
    for (const args of wanted) {
      const { code, stdout, stderr } = await run(args, rest);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      const [message = ""] = stderr.split("\n");
      expect(message).toMatch(/^Missing in the environment: /);
      expect(variables.filter((name) => message.includes(name))).toEqual([...missing]);
    }
  }
});

test("an unusable key or address exits 2, and is not repeated", async () => {
  const { environment } = await serve();
  const bad = [
    { SCREENSHOT_SETS_API_KEY: "ss live" },
    { SCREENSHOT_SETS_BASE_URL: "http://service.test/api/v1" },
    { SCREENSHOT_SETS_BASE_URL: "https://user:word@service.test/api/v1" },
  ];
  for (const wrong of bad) {
    const { code, stdout, stderr } = await run(["job", "job_1"], { ...environment, ...wrong });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).not.toMatch(/ss live|word@/);
  }
});
