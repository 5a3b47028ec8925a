import { execFileSync } from "node:child_process";
import { devices } from "screenshot-sets";
import { beforeAll, expect, inject, test } from "vitest";
import { coverage } from "./run.js";

const commands = ["create", "batch", "wait", "job", "mock", "completion"];

const printed = (...args: string[]) =>
  execFileSync(process.execPath, [inject("command"), ...args], { encoding: "utf8", env: coverage });

/** The help of each command, and the script for each shell. */
const texts = new Map<string, string>();
beforeAll(() => {
  for (const shell of ["bash", "zsh", "fish"]) texts.set(shell, printed("completion", shell));
  for (const command of commands) texts.set(command, printed(command, "--help"));
});

/** What bash offers for the last of these words. */
function offered(...words: string[]): string[] {
  const program = `${texts.get("bash")}
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
])("bash completes $words", ({ words, offers }) => {
  expect(offered(...words)).toEqual([...offers].sort());
});

test.each(["bash", "zsh", "fish"])("the script for %s knows every option of every command", (shell) => {
  for (const command of commands) {
    const lines = (texts.get(shell) as string)
      .split("\n")
      .filter((line) => line.includes(shell === "fish" ? `from ${command}"` : `,${command},`));
    for (const [, option] of (texts.get(command) as string).matchAll(/^ {2}--([\w-]+)/gm)) {
      expect(lines.join("\n")).toMatch(new RegExp(shell === "fish" ? ` -l ${option} ` : `--${option}\\b`));
    }
  }
});
