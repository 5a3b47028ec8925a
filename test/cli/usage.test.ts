import { devices, setCost } from "screenshot-sets";
import manifest from "screenshot-sets/package.json" with { type: "json" };
import { expect, test } from "vitest";
import { listingOptions, setOptions } from "../../src/cli/create-params.js";
import { requestFields } from "../../src/generated/values.js";
import { leastFlags, listing, run, serve } from "./run.js";

const session = ["--json", "--out", "--env-file", "--verbose", "--dangerously-allow-http"];
const several = ["--state", "--max-credits", "--timeout"];
const set = ["--app-id", "--device", "--count", "--caption-style", "--caption-length", "--narrative"];
const commands: Record<string, string[]> = {
  create: [
    ...["--ios-url", "--android-url", "--context", "--mock", "--no-wait"],
    ...set,
    ...several,
    ...session,
  ],
  batch: ["--concurrency", "--again", "--dry-run", ...several, ...session],
  wait: ["--timeout", ...session],
  job: session,
  verify: ["--spend", "--app-id", "--ios-url", "--android-url", "--recorded", "--timeout", ...session],
  mock: [
    ...["--port", "--host", "--allow-host", "--allowance", "--lifecycle", "--id-prefix", "--recorded"],
    "--no-page",
  ],
};
const names = Object.keys(commands);

test.each(names)("%s --help shows its usage, an example, and every option that it takes", async (command) => {
  const { code, stdout, stderr } = await run([command, "--help"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(new RegExp(`^Usage: screenshot-sets ${command} `));
  expect(stdout).toMatch(new RegExp(`\\nExamples?:\\n  screenshot-sets ${command} `));
  expect(stdout.split("\n").filter((line) => line.length > 120)).toEqual([]);
  const named = [...stdout.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual([...(commands[command] as string[]), "--help", "--version"].sort());
});

test("--help alone names every command, the variables and the exit codes", async () => {
  const { code, stdout, stderr } = await run(["--help"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const command of names) expect(stdout).toMatch(new RegExp(`^  ${command} `, "m"));
  for (const name of ["API_KEY", "BASE_URL"]) expect(stdout).toContain(`SCREENSHOT_SETS_${name}`);
  for (const exitCode of [0, 1, 2, 3, 4, 130]) expect(stdout).toMatch(new RegExp(`^  ${exitCode} `, "m"));
});

test.each([
  { args: ["help"], same: ["--help"] },
  { args: ["help", "wait"], same: ["wait", "--help"] },
  { args: ["wait", "-h", "--unknown"], same: ["wait", "--help"] },
  { args: ["wait", "--version"], same: ["--version"] },
])("$args does the same as $same", async ({ args, same }) => {
  expect(await run(args)).toEqual(await run(same));
});

test("--version prints the version", async () => {
  expect(await run(["--version"])).toMatchObject({ code: 0, stdout: `${manifest.version}\n`, stderr: "" });
});

test("every parameter of a create has a flag", () => {
  const fields = Object.values({ ...listingOptions, ...setOptions }).map(({ field }) => field);
  const parameters = Object.keys({ ...requestFields.createApp, ...requestFields.createScreenshots });
  expect(parameters.filter((name) => !fields.includes(name))).toEqual([]);
});

test("create --help shows the values, ranges and defaults of the document", async () => {
  const { createApp: app, createScreenshots: set } = requestFields;
  const { stdout } = await run(["create", "--help"]);
  const { maxLength } = app?.extraContext ?? {};
  const { minimum, maximum } = set?.count ?? {};
  const documented = {
    device: devices,
    count: [minimum, maximum, set?.count?.default],
    "caption-style": [set?.captionStyle?.default],
    "caption-length": set?.captionLength?.values ?? [],
    context: [maxLength && `at most ${maxLength} characters`],
  };
  for (const [flag, words] of Object.entries(documented)) {
    const option = stdout.split(/\n(?= {2}-)/).find((part) => part.startsWith(`  --${flag} `));
    for (const word of words) if (word !== undefined) expect(option).toMatch(new RegExp(`\\b${word}\\b`));
  }
});

const device = ["--device", "iphone-69"];

test.each<{ args: string[]; says: string }>([
  { args: [], says: "Expected a command." },
  { args: ["creat"], says: "Unknown command creat. Did you mean create?" },
  { args: ["toast"], says: "Unknown command toast.\n" },
  { args: ["ss_live_key"], says: "Unknown command.\n" },
  { args: ["--json", "create"], says: "Unknown option --json." },
  { args: ["--json"], says: "Unknown option --json." },
  { args: ["creat", "--json"], says: "Unknown command creat. Did you mean create?" },
  { args: ["create", ...device], says: "Expected --ios-url, --android-url or --app-id." },
  { args: ["create", ...listing], says: '--device: Expected "iphone-69", ' },
  { args: ["create", "--app-id", "", ...device], says: "--app-id: Expected at least 1 character" },
  { args: ["create", ...leastFlags, "--count", "2.5"], says: "Expected --count to be a whole number." },
  { args: ["create", ...leastFlags, "--app-id", "app_1"], says: "Expected either --app-id or --ios-url: " },
  { args: ["create", ...leastFlags, "--", "b"], says: "Expected only options, got 1 argument." },
  { args: ["create", ...leastFlags, "--unknown=x"], says: "Unknown option --unknown." },
  { args: ["create", "--iosUrl", "x"], says: "Unknown option --iosUrl. Did you mean --ios-url?" },
  { args: ["create", ...leastFlags, "--\u001b[2J=x"], says: "Unknown option --\\u001b[2J." },
  { args: ["create", ...leastFlags, "-x"], says: "Unknown option -x." },
  { args: ["create", ...leastFlags, "--json=yes"], says: "Expected --json to stand without a value." },
  { args: ["create", ...listing, "--device"], says: "Expected a value after --device." },
  { args: ["create", ...listing, "--device", "--json"], says: "Expected a value after --device. Write" },
  { args: ["create", ...leastFlags, ...device], says: "Expected --device iphone-69 once." },
  { args: ["create", ...leastFlags, "--count=1", "--count=2"], says: "Expected --count once." },
  { args: ["create", ...leastFlags, "--timeout=-1"], says: "Expected --timeout to be a number of seconds." },
  { args: ["create", ...leastFlags, "--no-wait", "--timeout=1"], says: "Expected either --no-wait or --ti" },
  ...["create", "wait", "batch"].map((name) => ({
    args: [name, ...(name === "create" ? leastFlags : ["x"]), "--timeout", "9999999"],
    says: "Expected --timeout to be at most 2147483 seconds.",
  })),
  { args: ["create", ...leastFlags, "--out", ""], says: "Cannot write to --out : its name is empty." },
  { args: ["wait"], says: "Expected a JOB_ID." },
  { args: ["wait", "job_1", "job_2"], says: "Expected one JOB_ID, got 2 arguments." },
  { args: ["wait", ".."], says: "JOB_ID: Expected a string that is not empty" },
  { args: ["job", ""], says: "JOB_ID: Expected a string that is not empty" },
  { args: ["verify", "x"], says: "Expected only options, got 1 argument." },
  {
    args: ["verify", "--spend", String(setCost - 1)],
    says: `Expected --spend to be a whole number of ${setCost} or more.`,
  },
  { args: ["verify", "--spend", "1000"], says: "Expected --ios-url, --android-url or --app-id." },
  { args: ["verify", "--spend", "1000", "--app-id", ""], says: "--app-id: Expected at least 1 character" },
  {
    args: ["verify", "--spend", "1000", ...listing, "--app-id", "app_1"],
    says: "Expected either --app-id or --ios-url: ",
  },
  { args: ["verify", ...listing], says: "Expected --spend beside --app-id, --ios-url or --android-url." },
  { args: ["verify", "--out", "-"], says: "Expected --out to be a file" },
  { args: ["verify", "--timeout", "soon"], says: "Expected --timeout to be a number of seconds." },
  { args: ["batch"], says: "Expected a FILE." },
  { args: ["batch", "x", "--max-credits=-1"], says: "Expected --max-credits to be a whole number of 0 or" },
  { args: ["batch", "x", "--concurrency", "0"], says: "Expected --concurrency to be a whole number of 1 or" },
  { args: ["mock", "--port", "65536"], says: "Expected --port to be a whole number from 0 to 65535." },
  { args: ["mock", "--allowance=-1"], says: "Expected --allowance to be a whole number of 0 or more." },
  { args: ["mock", "--lifecycle", "1p,2s"], says: "Expected --lifecycle to be instant, manual, " },
  { args: ["mock", "--id-prefix", "a/b"], says: "Expected --id-prefix to be letters" },
  { args: ["mock", "--host="], says: "Expected --host to be an address" },
  {
    args: ["mock", "--allow-host=a", "--allow-host=a:1"],
    says: "Expected each of --allow-host to be a host name without a port",
  },
  {
    args: ["mock", "--recorded", "none.json"],
    says: "Cannot use --recorded none.json: there is no such file.",
  },
  { args: ["verify", "--recorded", "."], says: "Cannot use --recorded .: " },
  { args: ["mock", "npm", "test"], says: "Expected -- before the command. `npm exec` and yarn 1 remove it" },
  { args: ["mock", "jest", "--watch"], says: "Expected -- before the command." },
  { args: ["mock", "--timeout", "4"], says: "Unknown option --timeout." },
  { args: ["mock", "--prot", "4", "npm", "--watch"], says: "Unknown option --prot. Did you mean --port?" },
  { args: ["mock", "--"], says: "Expected a command after --." },
])("$args is refused: $says", async ({ args, says }) => {
  const { mock, environment } = await serve();
  const { code, stdout, stderr } = await run(args, environment);
  expect(code).toBe(2);
  const isJson = args.includes("--json");
  expect(isJson ? JSON.parse(stdout).error.name : stdout).toBe(isJson ? "UsageError" : "");
  expect(stderr.slice(0, says.length)).toBe(says);
  const command = names.find((name) => name === args[0]) ?? `<${names.join(" \\| ")}>`;
  expect(stderr).toMatch(new RegExp(`\\n\\nUsage: screenshot-sets ${command} .*\\n.*--help`));
  expect(mock.requests()).toEqual([]);
});

test("reports all mistakes in a set at once", async () => {
  const wrong = ["--ios-url", "", "--device", "tv", "--count", "99", "--context", "x".repeat(2001)];
  const { stderr } = await run(["create", ...wrong, "--caption-length", "huge"], (await serve()).environment);
  for (const option of ["--ios-url", "--context", "--device", "--count", "--caption-length"])
    expect(stderr).toContain(`${option}: Expected`);
});

test.each([
  { flag: "--api-key", commands: ["", ...names] },
  ...["--key", "--apikey", "--api_key", "--token", "--secret", "--authorization"].map((flag) => ({
    flag,
    commands: ["create"],
  })),
])("a key given as $flag is refused with the reason, and not repeated", async ({ flag, commands }) => {
  const typed = commands.map((command) => [command, flag, "ss_live_typed"].filter(Boolean));
  for (const args of [...typed, [`${flag}=ss_live_typed`]]) {
    const { code, stdout, stderr } = await run([...args, "--help"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(
      new RegExp(
        `^Refused ${flag}: .*see what is typed.*environment, as SCREENSHOT_SETS_API_KEY.*\\n\\nUsage: `,
      ),
    );
    expect(stderr).not.toContain("ss_live_typed");
  }
});

test.each([
  { given: {}, missing: /SCREENSHOT_SETS_API_KEY \(.*\) and SCREENSHOT_SETS_BASE_URL \(.*\)/ },
  {
    given: { SCREENSHOT_SETS_API_KEY: "", SCREENSHOT_SETS_BASE_URL: "http://localhost/api/v1" },
    missing: /SCREENSHOT_SETS_API_KEY \([^()]*\)/,
  },
  { given: { SCREENSHOT_SETS_API_KEY: "ss_live_key" }, missing: /SCREENSHOT_SETS_BASE_URL \(.*\)/ },
])("$given: names what is missing in the environment", async ({ given, missing }) => {
  for (const args of [["create", ...leastFlags], ["wait", "job_1"], ["job", "job_1"], ["verify"]]) {
    const { code, stdout, stderr } = await run(args, given);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(
      new RegExp(
        `^Missing in the environment: ${missing.source}\\. A file can hold them: --env-file FILE\\.\n`,
      ),
    );
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
