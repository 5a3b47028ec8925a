import { execFileSync } from "node:child_process";
import { devices } from "screenshot-sets";
import { expect, test } from "vitest";
import { run } from "./run.js";

const commands = ["create", "batch", "wait", "job", "mock", "completion"];

/** What bash offers for the last of these words. */
async function offered(...words: string[]): Promise<string[]> {
  const { stdout } = await run(["completion", "bash"]);
  const program = `${stdout}
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _screenshot_sets; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const args = ["--norc", "-c", program, "bash", "screenshot-sets", ...words];
  return execFileSync("bash", args, { encoding: "utf8" }).trim().split("\n").sort();
}

test.each<{ words: string[]; offers: readonly string[] }>([
  { words: ["cre"], offers: ["create"] },
  { words: [""], offers: [...commands, "--help", "--version"] },
  { words: ["create", "--caption-l"], offers: ["--caption-length"] },
  { words: ["create", "--device", ""], offers: devices },
  { words: ["create", "--mock", "--device", "ipad"], offers: ["ipad-pro"] },
  { words: ["create", "--device", "="], offers: devices },
  { words: ["create", "--device", "=", "ipad"], offers: ["ipad-pro"] },
  { words: ["create", "--caption-length", ""], offers: ["long", "short"] },
  { words: ["mock", "--lifecycle", ""], offers: ["instant", "manual"] },
  { words: ["completion", "f"], offers: ["fish"] },
  { words: ["wait", "--out", ""], offers: [""] },
  { words: ["mock", "--", ""], offers: [""] },
])("bash completes $words", async ({ words, offers }) => {
  expect(await offered(...words)).toEqual([...offers].sort());
});

test.each(["bash", "zsh", "fish"])("the script for %s knows every option of every command", async (shell) => {
  const { code, stdout, stderr } = await run(["completion", shell]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const command of commands) {
    const help = (await run([command, "--help"])).stdout;
    const lines = stdout
      .split("\n")
      .filter((line) => line.includes(shell === "fish" ? `from ${command}"` : `,${command},`));
    for (const [, option] of help.matchAll(/^ {2}--([\w-]+)/gm)) {
      expect(lines.join("\n")).toMatch(new RegExp(shell === "fish" ? ` -l ${option} ` : `--${option}\\b`));
    }
  }
});
