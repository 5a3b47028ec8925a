import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { promisify } from "node:util";
import { setCost } from "screenshot-sets";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { defaultCount } from "../../src/generated/values.js";
import { freePort } from "../helpers/free-port.js";

/** The arguments of the built command. */
const command = () => [process.execPath, inject("command")] as const;

/** The words of a list in a file, such as `ENTRYPOINT ["…"]`. */
const words = (file: string, pattern: RegExp): string[] =>
  JSON.parse(pattern.exec(readFileSync(file, "utf8"))?.[1] ?? "");

/** The path and the key that compose gives the app for the mock. */
const [, basePath = "", apiKey = ""] =
  /BASE_URL: http:\/\/mock:4010(\S+)\n.*\n.*API_KEY: (\S+)/.exec(
    readFileSync("examples/docker/docker-compose.yml", "utf8"),
  ) ?? [];

/** Runs the container's command as Docker would, on another port. */
async function startContainer(port: number): Promise<ChildProcess> {
  const [program, ...entrypoint] = words("examples/docker/Dockerfile", /^ENTRYPOINT (\[.*\])$/m);
  const args = words("examples/docker/docker-compose.yml", /^ {4}command: (\[.*\])$/m);
  expect([program, ...entrypoint.slice(-2)]).toEqual(["screenshot-sets", "--port", "4010"]);
  const [node, main] = command();
  const mock = spawn(node, [main, ...entrypoint.with(-1, String(port)), ...args], { stdio: "pipe" });
  onTestFinished(() => void mock.kill("SIGKILL"));
  for await (const text of mock.stderr ?? []) if (/is running/.test(String(text))) break;
  return mock;
}

/** The status of an answer to a request under another name than that of the address. */
async function statusOf(address: string, host: string): Promise<number | undefined> {
  const asked = request(address, { headers: { host } }).end();
  const [response] = await once(asked, "response");
  response.resume();
  return response.statusCode;
}

test("the container's command serves other machines, and its page under the name that compose gives it", async () => {
  const port = await freePort();
  await startContainer(port);

  for (const address of ["127.0.0.1", "127.0.0.2"]) {
    const origin = `http://${address}:${port}`;
    expect(await statusOf(`${origin}${basePath}/public/openapi.json`, `anything:${port}`)).toBe(200);
    expect(await statusOf(`${origin}/_mock/state`, `mock:${port}`)).toBe(200);
    expect(await statusOf(`${origin}/_mock/state`, `evil.example:${port}`)).toBe(403);
  }
});

test("the app plans a set with the address and the key that compose gives it", async () => {
  const port = await freePort();
  await startContainer(port);
  vi.stubEnv("SCREENSHOT_SETS_API_KEY", apiKey);
  vi.stubEnv("SCREENSHOT_SETS_BASE_URL", `http://127.0.0.2:${port}${basePath}`);
  const printed = vi.spyOn(console, "log").mockImplementation(() => {});

  await import("../../examples/docker/plan-set.mjs" as string);

  expect(printed.mock.calls).toEqual([[`${defaultCount} slides`]]);
});

const { status } = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]);

test.skipIf(status !== 0)(
  "four workers of a suite in Python share a mock, each with its own account",
  async () => {
    const [node, main] = command();
    const suite = ["mock", "--lifecycle", "1p,1p", "--", "python3", "examples/python/run_workers.py"];

    const { stdout, stderr } = await promisify(execFile)(node, [main, ...suite], {
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
    });

    // The last test of each plans one set, whatever the others do.
    const used = [0, setCost, setCost, setCost, setCost];
    expect(stdout.trim().split("\n")).toEqual(
      used.map((credits, index) => `account ${index + 1}: ${credits} credits used since its last reset`),
    );
    // Python writes the end of the line apart, so that those of two workers may come together.
    expect(stderr.match(/OK/g)).toHaveLength(4);
  },
);
