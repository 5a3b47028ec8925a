import { once } from "node:events";
import { createServer } from "node:http";
import { setImmediate } from "node:timers/promises";
import type { Mock, OperationName } from "screenshot-sets/mock";
import { expect, onTestFinished, test, vi } from "vitest";
import { listening } from "../helpers/raw-server.js";
import { accept, lastLine, leastFlags, run, serve, start } from "./run.js";

const arrived = (mock: Mock, operation: OperationName) =>
  vi.waitFor(() => expect(mock.requests({ operation })).not.toEqual([]), { timeout: 20_000 });

test.each([
  ["SIGINT", 130, "Interrupted"],
  ["SIGTERM", 143, "Ended by SIGTERM"],
  ["SIGHUP", 129, "Ended by SIGHUP"],
] as const)("%s after the acceptance exits %i and says how to resume", async (signal, code, begin) => {
  const { environment } = await serve({ lifecycle: "manual" });
  const create = start(["create", ...leastFlags, "--json"], environment);
  await create.says(/is queued/);
  create.child.kill(signal);
  // As a wrapper such as `timeout` and its process group do, unless the two become one.
  await setImmediate();
  create.child.kill(signal);
  const { stdout, ...ended } = await create.outcome;
  expect(ended.code).toBe(code);
  expect(JSON.parse(stdout).error).toMatchObject({ name: "Interrupt", charged: "yes", jobId: "job_1" });
  expect(create.stderr.split("\n").slice(-4)).toEqual([
    `${begin} before job job_1 ended. 10 credits were charged, 90 are left.`,
    "To get the result, run:",
    "screenshot-sets wait job_1 --json",
    "",
  ]);
});

test("a job is resumed with the flags that bear on its result, whatever its id begins with", async () => {
  const { mock, environment } = await serve();
  const body = { jobId: "-x", credits: { cost: 10, remaining: 90 } };
  mock.fault({ status: 201, body }, { operation: "createScreenshots" });
  const flags = ["--json", "--out=-x", "--env-file", "/dev/null", "--dangerously-allow-http", "--verbose"];
  const { code, stderr } = await run(["create", ...leastFlags, "--timeout", "0", ...flags], environment);
  expect(code).toBe(3);
  expect(lastLine(stderr)).toBe(
    "screenshot-sets wait --json --out=-x --env-file /dev/null --dangerously-allow-http -- -x",
  );
});

test("an interrupted wait says how to resume it", async () => {
  const { mock, environment } = await serve({ lifecycle: "manual" });
  await accept(mock);
  const wait = start(["wait", "job_1", "--json"], environment);
  await wait.says(/is queued/);
  wait.child.kill("SIGINT");
  const { code, stdout, stderr } = await wait.outcome;
  expect(code).toBe(130);
  expect(JSON.parse(stdout)).toMatchObject({ error: { name: "Interrupt", jobId: "job_1" } });
  expect(lastLine(stderr)).toBe("screenshot-sets wait job_1 --json");
});

test("an interrupt while nobody reads the result ends the command, which says how to resume", async () => {
  const { mock, environment } = await serve();
  mock.nextJob({ outcome: "succeeded", slides: [{ text: "x".repeat(5_000_000) }] });
  const create = start(["create", ...leastFlags], environment);
  create.child.stdout?.pause();
  await create.says(/has succeeded/);
  create.child.kill("SIGTERM");
  const [exitCode] = await once(create.child, "exit");
  create.child.stdout?.resume();
  expect(exitCode).toBe(143);
  const { stderr } = await create.outcome;
  expect(stderr).toMatch(/^Ended by SIGTERM before the result of job job_1 was written\. 10 credits were/m);
  expect(lastLine(stderr)).toBe("screenshot-sets wait job_1");
});

test.each(["createApp", "createScreenshots"] as const)(
  "an interrupt while %s is in flight says that credits may have been charged",
  async (operation) => {
    const { mock, environment } = await serve();
    mock.fault("hang", { operation });
    const create = start(["create", ...leastFlags, "--json"], environment);
    await arrived(mock, operation);
    create.child.kill("SIGINT");
    const { code, stdout, stderr } = await create.outcome;
    expect(code).toBe(130);
    expect(JSON.parse(stdout).error).toMatchObject({ name: "Interrupt", charged: "maybe" });
    expect(lastLine(stderr)).toBe(
      `Interrupted while ${operation} was in flight: the service may have accepted it, and credits may have been charged. Check the credits before you send it again.`,
    );
  },
);

test("an interrupt while an acceptance arrives names the job that it holds", async () => {
  // So long that the server is done with it only when the client has read most of it.
  const part = `{"jobId":"job 9","note":"${"x".repeat(8_000_000)}`;
  const server = createServer();
  const isTold = new Promise<void>((resolve) => {
    server.on("request", (_, response) => response.writeHead(201).write(part, () => resolve()));
  });
  onTestFinished(() => void server.close().closeAllConnections());
  const port = await listening(server);
  const environment = {
    SCREENSHOT_SETS_BASE_URL: `http://127.0.0.1:${port}/api/v1`,
    SCREENSHOT_SETS_API_KEY: "ss_live_key",
  };
  const create = start(["create", "--app-id", "app_1", "--device", "iphone-69"], environment);
  await isTold;
  create.child.kill("SIGINT");
  const { code, stderr } = await create.outcome;
  expect(code).toBe(130);
  expect(stderr).toMatch(/^Interrupted while createScreenshots was in flight: .* may have been charged\./m);
  expect(lastLine(stderr)).toBe("screenshot-sets wait 'job 9'");
});

test("an interrupt after a refused attempt does not mention a charge", async () => {
  const { mock, environment } = await serve();
  mock.fault({ status: 429, retryAfter: 50 }, { operation: "createScreenshots" });
  const create = start(["create", ...leastFlags, "--verbose"], environment);
  await create.says(/Sending a request again/);
  create.child.kill("SIGTERM");
  const { code, stderr } = await create.outcome;
  expect(code).toBe(143);
  expect(stderr).toMatch(/^Ended by SIGTERM\.$/m);
  expect(stderr).not.toMatch(/may have been charged/);
});

test("an interrupt of job exits 130", async () => {
  const { mock, environment } = await serve();
  mock.fault("hang", { operation: "getJob" });
  const job = start(["job", "job_1"], environment);
  await arrived(mock, "getJob");
  job.child.kill("SIGINT");
  expect(await job.outcome).toMatchObject({ code: 130, stdout: "", stderr: "Interrupted.\n" });
});
