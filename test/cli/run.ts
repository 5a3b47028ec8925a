import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { ScreenshotSets } from "screenshot-sets";
import { createMock, type Mock } from "screenshot-sets/mock";
import { inject, onTestFinished, vi } from "vitest";

/** How a run of the command ended, and what it printed. */
export interface Outcome {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

type Environment = Record<string, string>;

/** Where the command's processes write their coverage, the only source of figures for `src/cli`. */
export const coverage: Environment = process.env.COVERAGE
  ? { NODE_V8_COVERAGE: fileURLToPath(new URL("../../coverage/cli", import.meta.url)) }
  : {};

/** A run that may not have ended yet. */
class Run {
  stdout = "";
  stderr = "";
  readonly child: ChildProcess;
  readonly outcome: Promise<Outcome>;
  #hasEnded = false;

  constructor(args: string[], environment: Environment, command: string) {
    // Without a home, nothing is kept in it.
    const { PATH = "", SystemRoot = "" } = process.env;
    this.child = spawn(process.execPath, [command, ...args], {
      cwd: tmpdir(),
      env: { PATH, SystemRoot, ...coverage, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const name of ["stdout", "stderr"] as const) {
      this.child[name]?.setEncoding("utf8").on("data", (text: string) => {
        this[name] += text;
        this.child.emit("said");
      });
    }
    this.outcome = once(this.child, "close").then(([code, signal]) => {
      this.#hasEnded = true;
      this.child.emit("said");
      return { code, signal, stdout: this.stdout, stderr: this.stderr };
    });
    onTestFinished(() => {
      this.child.kill("SIGKILL");
    });
  }

  /** Resolves once it has printed this; rejects if it ends without. */
  async says(pattern: RegExp): Promise<void> {
    const { stdout, stderr, child } = this;
    if (pattern.test(stdout + stderr)) return;
    if (this.#hasEnded) throw new Error(`Expected ${pattern}, got ${stdout}${stderr}`);
    await once(child, "said");
    await this.says(pattern);
  }
}

/** Starts the built command with only the given environment. */
export function start(args: string[], environment: Environment = {}, command = inject("command")): Run {
  return new Run(args, environment, command);
}

/** Runs the built command to its end. */
export function run(...typed: Parameters<typeof start>): Promise<Outcome> {
  return start(...typed).outcome;
}

/** The mock over HTTP until the test ends, and the environment that leads the command to it. */
export async function serve(options: Parameters<typeof createMock>[0] = {}) {
  const mock = createMock({ clock: "system", ...options });
  const { url, close } = await mock.listen();
  onTestFinished(close);
  const environment = {
    SCREENSHOT_SETS_API_KEY: mock.clientOptions.apiKey,
    SCREENSHOT_SETS_BASE_URL: url,
  };
  return { mock, environment };
}

/** Creates a job, as another process would. */
export async function accept({ clientOptions }: Mock): Promise<void> {
  const client = new ScreenshotSets(clientOptions);
  const { appId } = await client.apps.create({
    iosUrl: "https://apps.apple.com/us/app/example/id1234567890",
  });
  await client.screenshots.create({ appId, device: "iphone-69" });
}

/** A listing for tests that are about something else. */
export const listing = ["--ios-url", "https://apps.apple.com/us/app/example/id1234567890"];

/** The required options of a set. */
export const leastFlags = [...listing, "--device", "iphone-69"];

export function lastLine(text: string): string | undefined {
  return text.replace(/\n$/, "").split("\n").at(-1);
}

/** Catches what a command prints that runs in this process, until its test restores mocks. */
export function catchOutput() {
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    vi.spyOn(process[name], "write").mockImplementation((text, done?: unknown) => {
      printed[name] += text;
      if (typeof done === "function") done();
      return true;
    });
  }
  return printed;
}
