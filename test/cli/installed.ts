import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { createConsumer } from "../helpers/consumer.js";

/** A project that has the package, its command where package managers put it, and these scripts, until the test ends. */
export function installed(scripts: Record<string, string> = {}): string {
  const { folder, installed, remove } = createConsumer(inject("packed").tarball);
  onTestFinished(remove);
  chmodSync(join(installed, "dist/cli/main.js"), 0o755);
  mkdirSync(join(folder, "node_modules/.bin"));
  symlinkSync("../screenshot-sets/dist/cli/main.js", join(folder, "node_modules/.bin/screenshot-sets"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "app", private: true, scripts }));
  return folder;
}

/** Starts a command line in a project; `closed` resolves once each of its processes has ended. */
export function startIn(folder: string, environment: object, [program = "", ...args]: readonly string[]) {
  const env = { ...process.env, ...environment };
  const child = spawn(program, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  onTestFinished(() => {
    try {
      process.kill(-(child.pid as number), "SIGKILL");
    } catch {
      // All of them have ended.
    }
  });
  const started = { child, text: "", closed: once(child, "close") };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      started.text += text;
    });
  return started;
}
