import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { ScreenshotSets } from "screenshot-sets";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../helpers/free-port.js";
import { listening } from "../helpers/raw-server.js";
import { temporaryFolder } from "../helpers/temporary-folder.js";
import { leastFlags, run, start } from "./run.js";

const pageLine = /^The mock's page is at (http:\/\/127\.0\.0\.1:\d+\/)\n/;

/** Starts a mock on a free port, with the variables that it tells a shell to set, and a client that uses them. */
async function startMock(...flags: string[]) {
  const mock = start(["mock", "--port", "0", ...flags]);
  await mock.says(/is running/);
  await mock.says(/^export SCREENSHOT_SETS_API_KEY=\w+\n/m);
  const lines = mock.stdout.split("\n").slice(0, -1);
  const environment: Record<string, string> = Object.fromEntries(
    lines.map((line) => /^export (\w+)=([\w:/.-]+)$/.exec(line)?.slice(1) as [string, string]),
  );
  const { SCREENSHOT_SETS_API_KEY: apiKey, SCREENSHOT_SETS_BASE_URL: baseUrl = "" } = environment;
  return { mock, environment, baseUrl, client: new ScreenshotSets({ apiKey, baseUrl }) };
}

test("prints two exports for the other commands, has a page, and serves until it is interrupted", async () => {
  const { mock, environment, baseUrl } = await startMock();
  expect(Object.keys(environment)).toEqual(["SCREENSHOT_SETS_BASE_URL", "SCREENSHOT_SETS_API_KEY"]);
  expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/);
  expect(await run(["create", ...leastFlags], environment)).toMatchObject({ code: 0 });
  const [, pageUrl = ""] = pageLine.exec(mock.stderr) ?? [];
  expect(await (await fetch(pageUrl)).text()).toContain("<title>");
  for (const file of ["page.js", "style.css"])
    expect((await fetch(`${pageUrl}_mock/${file}`)).status).toBe(200);
  // Somebody still looks at it.
  const { body } = await fetch(`${pageUrl}_mock/events`);
  await body?.getReader().read();
  mock.child.kill("SIGINT");
  expect(await mock.outcome).toMatchObject({ code: 130, signal: null });
});

test("has neither a page nor a control API with --no-page", async () => {
  const { mock, baseUrl } = await startMock("--no-page");
  expect(mock.stderr).not.toContain("page");
  for (const path of ["/", "/_mock/state"]) expect((await fetch(new URL(path, baseUrl))).status).toBe(404);
});

test("listens on port 4010 unless another is given", async () => {
  const mock = start(["mock"]);
  await mock.says(/is running|in use/);
  expect(mock.stdout + mock.stderr).toMatch(/http:\/\/127\.0\.0\.1:4010\/|^Port 4010 is in use/m);
});

test("says when the port is in use", async () => {
  const taken = createServer();
  onTestFinished(() => void taken.close());
  const port = await listening(taken);
  const { code, stdout, stderr } = await run(["mock", "--port", String(port)]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toBe(`Port ${port} is in use. Choose another with --port, or any free one with --port 0.\n`);
});

const iosUrl = "https://apps.apple.com/us/app/example/id1234567890";

test("--lifecycle in polls counts those of each job", async () => {
  const { client } = await startMock("--lifecycle", "2p,1p");
  const { appId } = await client.apps.create({ iosUrl });
  const { jobId } = await client.screenshots.create({ appId, device: "iphone-69" });
  const seen: string[] = [];
  while (seen.length < 4) seen.push((await client.jobs.get(jobId)).status);
  expect(seen).toEqual(["queued", "queued", "running", "succeeded"]);
});

test("--lifecycle in seconds proceeds by itself, and --allowance limits what the account may spend", async () => {
  const { client } = await startMock("--lifecycle", "0.1s,0.1s", "--allowance", "15");
  const { appId } = await client.apps.create({ iosUrl });
  const set = { appId, device: "iphone-69" } as const;
  expect(await client.screenshots.createAndWait(set)).toMatchObject({ status: "succeeded" });
  await expect(client.screenshots.create(set)).rejects.toMatchObject({ status: 402 });
});

test("listens on the address that --host names, and puts --id-prefix before ids", async () => {
  const { environment } = await startMock("--host", "0.0.0.0", "--id-prefix", "run-7_");
  const { SCREENSHOT_SETS_API_KEY: apiKey, SCREENSHOT_SETS_BASE_URL: url = "" } = environment;
  const client = new ScreenshotSets({ apiKey, baseUrl: url.replace("127.0.0.1", "127.0.0.2") });
  expect((await client.apps.create({ iosUrl })).appId).toBe("run-7_app_1");
});

test("gives no id twice to a database that outlives a start or a reset, and knows none of before", async () => {
  const { client, baseUrl } = await startMock();
  const createApp = async (by: ScreenshotSets) => (await by.apps.create({ iosUrl })).appId;
  const reset = (path: string) => fetch(new URL(`/_mock/${path}`, baseUrl), { method: "POST" });
  const appIds = [await createApp(client)];
  const { jobId } = await client.screenshots.create({ appId: String(appIds[0]), device: "iphone-69" });
  await reset("accounts/1/reset");
  appIds.push(await createApp(client));
  await reset("reset");
  appIds.push(await createApp(client), await createApp((await startMock()).client));
  expect(jobId).toMatch(/^\w{6}-job_1$/);
  for (const appId of appIds) expect(appId).toMatch(/^\w{6}-app_1$/);
  expect(new Set(appIds).size).toBe(4);
  await expect(client.jobs.get(jobId)).rejects.toMatchObject({ name: "NotFoundError" });
});

test("counts from 1 with --id-prefix= and beside a command, at each reset too", async () => {
  const { client } = await startMock("--id-prefix=");
  expect((await client.apps.create({ iosUrl })).appId).toBe("app_1");
  const program = `
    const { SCREENSHOT_SETS_BASE_URL: url, SCREENSHOT_SETS_API_KEY: key } = process.env;
    const body = '{"iosUrl":"https://apps.apple.com/us/app/example/id1","device":"iphone-69","count":1}';
    const request = { method: "POST", headers: { "content-type": "application/json" }, body };
    const plan = async () => (await (await fetch(new URL("/_mock/accounts/1/sets", url), request)).json()).id;
    const reset = () => fetch(new URL("/_mock/reset", url), { method: "POST" });
    plan().then((id) => reset().then(plan).then((later) => console.log(id, later)));`;
  expect(await run(node(program))).toMatchObject({ code: 0, stdout: "job_1 job_1\n" });
});

/** A file in a folder of its own, which is removed after the test. */
function fileOf(text: string): string {
  const file = join(temporaryFolder(), "recorded.json");
  writeFileSync(file, text);
  return file;
}

test("--recorded answers as the file says, whatever byte order mark it has", async () => {
  const refusals = { getJob: { notFound: { status: 410, body: { detail: "gone" } } } };
  const file = fileOf(`\ufeff${JSON.stringify({ version: 1, refusals })}`);
  const { client } = await startMock("--recorded", file);
  await expect(client.jobs.get("job_9")).rejects.toMatchObject({ status: 410, body: { detail: "gone" } });
});

test.each([
  ['{"version":1,"set":{"cost":"12"}}', "recorded.set.cost: Expected a number, got a string."],
  ["{", "in JSON at position 1"],
])("--recorded refuses a file by what is wrong with it: %s", async (text, says) => {
  const file = fileOf(text);
  const { code, stdout, stderr } = await run(["mock", "--recorded", file]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(says);
});

const node = (program: string) => ["mock", "--", process.execPath, "-e", program];

test("runs a command with the address of a free port and a key, its output alone, and exits with its code", async () => {
  const { code, stdout, stderr } = await run(
    node(`
      const { SCREENSHOT_SETS_BASE_URL, SCREENSHOT_SETS_API_KEY, OTHER } = process.env;
      const headers = { "x-api-key": SCREENSHOT_SETS_API_KEY };
      fetch(SCREENSHOT_SETS_BASE_URL + "/public/v1/jobs/job_1", { headers }).then(({ status }) => {
        console.log(status, OTHER, new URL(SCREENSHOT_SETS_BASE_URL).port !== "4010");
        process.exit(7);
      });`),
    { OTHER: "kept", SCREENSHOT_SETS_API_KEY: "of another service" },
  );
  expect({ code, stdout }).toEqual({ code: 7, stdout: "404 kept true\n" });
  expect(stderr).toMatch(new RegExp(`${pageLine.source}$`));
});

test("takes --port beside a command, and passes flags after -- to the command", async () => {
  const port = await freePort();
  const program = "[process.env.SCREENSHOT_SETS_BASE_URL, ...process.argv.slice(1)].join()";
  const args = ["mock", "--port", String(port), "--", process.execPath, "-p", program, "--"];
  const { code, stdout } = await run([...args, "--api-key", "--help", "--", "x"]);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `http://127.0.0.1:${port}/api/v1,--api-key,--help,--,x\n`,
  });
});

const proxyLists =
  "const { NO_PROXY, no_proxy } = process.env; console.log(JSON.stringify({ NO_PROXY, no_proxy }))";
const own = "127.0.0.1,localhost,::1";

test.each<[given: Record<string, string>, upper: string, lower: string]>([
  [{}, own, own],
  [{ NO_PROXY: "example.com" }, `example.com,${own}`, `example.com,${own}`],
  [{ NO_PROXY: "example.com", no_proxy: "*" }, `example.com,${own}`, "*"],
])("exempts the mock from the proxies of the command: %j", async (given, NO_PROXY, no_proxy) => {
  const { stdout } = await run(node(proxyLists), given);
  expect(JSON.parse(stdout)).toEqual({ NO_PROXY, no_proxy });
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "forwards %s to the command, and exits with its code",
  async (signal) => {
    const program = `process.on("${signal}", () => { console.log("got it"); process.exit(5); });
      setInterval(() => {}, 1000);
      console.log("ready");`;
    const mock = start(node(program));
    await mock.says(/ready/);
    mock.child.kill(signal);
    expect(await mock.outcome).toMatchObject({ code: 5, signal: null, stdout: "ready\ngot it\n" });
  },
);

test("exits 137 when SIGKILL ends the command", async () => {
  const program = 'process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000);';
  expect(await run(node(program))).toMatchObject({ code: 137, signal: null });
});

test.each(["no-such-command", "/dev/null/in-no-folder", "/"])(
  "says that %s cannot be run, and exits with the code of a shell",
  async (command) => {
    const { code, stdout, stderr } = await run(["mock", "--port", "0", "--", command]);
    expect({ code, stdout }).toEqual({ code: command === "/" ? 126 : 127, stdout: "" });
    const why = command === "/" ? "EACCES" : "there is no such command";
    expect(stderr.replace(pageLine, "")).toBe(`Cannot run ${command}: ${why}.\n`);
  },
);
