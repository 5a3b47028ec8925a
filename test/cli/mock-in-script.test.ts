import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listening } from "../helpers/raw-server.js";
import { installed, startIn } from "./installed.js";

const page = readFileSync(new URL("../../docs/mock-page.md", import.meta.url), "utf8");
const [, script = ""] = /```sh\n(variables=.*?)```/s.exec(page) ?? [];

/** Runs the script of the docs in a project whose tests do something; `closed` resolves once the mock has ended too. */
function runScript(test: string, text = script) {
  const folder = installed({ test });
  return { folder, ...startIn(folder, {}, ["sh", "-c", text]) };
}

const create =
  "screenshot-sets create --ios-url https://apps.apple.com/us/app/example/id1 --device iphone-69 --out slides.txt";

test("a script's mock answers its commands, and ends with it", async () => {
  const { closed, folder } = runScript(create);
  expect(await closed).toEqual([0, null]);
  expect(readFileSync(join(folder, "slides.txt"), "utf8")).toContain("slides for iphone-69");
});

test("a script whose mock does not start ends there", async () => {
  const taken = createServer();
  onTestFinished(() => void taken.close());
  const port = await listening(taken);
  const { closed, folder } = runScript(create, script.replace("--port 0", `--port ${port}`));
  expect(await closed).toEqual([1, null]);
  expect(existsSync(join(folder, "slides.txt"))).toBe(false);
});

test("a script that is told to end leaves no mock behind", async () => {
  const { child, closed, folder } = runScript("touch begun; until test -e end; do sleep 0.1; done");
  await expect.poll(() => existsSync(join(folder, "begun"))).toBe(true);
  child.kill("SIGTERM");
  writeFileSync(join(folder, "end"), "");
  await closed;
});
