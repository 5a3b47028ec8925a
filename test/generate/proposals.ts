import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { gaps } from "../../scripts/apply/hand-written.js";
import { exampleDocument } from "../helpers/generated-module.js";
import { repository } from "../helpers/repository.js";
import { temporaryFolder } from "../helpers/temporary-folder.js";
import type { Night } from "./nights.js";
import { workingCopy } from "./working-copy.js";

/** In place of `gh`: writes down what it is asked, and says that a pull request is open while a file says so. */
const gh = (folder: string) => `#!/bin/sh
{ printf '%s\\0' "$@"; printf '\\001'; } >> "${folder}/asked"
case "$1 $2" in
  "pr list") if [ -f "${folder}/open" ]; then echo 7; fi ;;
  "pr create") touch "${folder}/open" ;;
  "pr close") rm "${folder}/open" ;;
esac
`;

const files = String.raw`^([\w./, -]+): `;

/** What a person writes for each form of a line that `generate` leaves, in the files that it names. */
const byHand: [form: RegExp, write: (text: string, asked: string) => string][] = [
  [new RegExp(`${files}a flag for \`(.*)\`$`), (text, name) => `${text}// field: "${name}"\n`],
  [
    new RegExp(`${files}what (\`.*\`) is$`),
    (text, name) => text.replace(`| ${name} | |`, `| ${name} | told |`),
  ],
  [
    new RegExp(`${files}the base URL .*, and this has \`(.*)\`$`),
    (text, before) => text.replaceAll(before, ""),
  ],
  [
    new RegExp(`${files}this says that the document lacks (.*), which it has now$`),
    (text, what) => {
      const { words } = gaps.find((gap) => gap.what === what) as (typeof gaps)[number];
      // Words in a comment may be on two lines.
      return text.replaceAll(
        new RegExp(words.source.replaceAll(" ", String.raw`[\s*]+`), "gi"),
        "is documented",
      );
    },
  ],
];

/** A repository whose workflows take in a document each night, with a remote and a maintainer who merges and releases. */
function nightlyRepository() {
  const copy = workingCopy();
  const folder = temporaryFolder();
  const remote = path.join(folder, "remote");
  const command = (file: string, args: string[], env = process.env) =>
    execFileSync(file, args, { cwd: copy.root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], env });
  const git = (...args: string[]) =>
    command("git", ["-c", "user.name=a", "-c", "user.email=a@localhost", ...args]);

  mkdirSync(path.join(copy.root, ".ci"));
  for (const file of [".ci/propose", "package-lock.json"]) {
    cpSync(path.join(repository, file), path.join(copy.root, file));
  }
  for (const file of ["package.json", "package-lock.json"]) {
    copy.write(
      file,
      copy.read(file).replace(/("name": "screenshot-sets",\s*"version": )"[^"]*"/g, '$1"0.1.0"'),
    );
  }
  mkdirSync(path.join(folder, "bin"));
  writeFileSync(path.join(folder, "bin/gh"), gh(folder), { mode: 0o755 });
  command("git", ["init", "--quiet", "--bare", "--initial-branch=main", remote]);
  git("init", "--quiet", "--initial-branch=main");
  copy.write(".git/info/exclude", "node_modules\n");
  commit("Before");
  git("remote", "add", "origin", remote);
  git("push", "--quiet", "origin", "main");

  function commit(message: string): void {
    git("add", "--all");
    git("commit", "--quiet", "--no-gpg-sign", "--allow-empty", "-m", message);
  }

  /** Runs `.ci/propose`, and gives back the pull request that it leaves, in words. */
  function propose(args: string[], environment: Record<string, string>): string {
    rmSync(path.join(folder, "asked"), { force: true });
    const { status, stdout, stderr } = spawnSync(
      path.join(copy.root, ".ci/propose"),
      ["regeneration", ...args],
      {
        encoding: "utf8",
        env: { PATH: `${path.join(folder, "bin")}:${process.env.PATH}`, HOME: folder, ...environment },
      },
    );
    expect([status, stdout + (status === 0 ? "" : stderr)]).toEqual([0, ""]);
    const asked = readFileSync(path.join(folder, "asked"), "utf8")
      .split("\u0001")
      .map((call) => call.split("\0"));
    const texts = asked.flatMap((call) =>
      call.includes("--body") ? [call[call.indexOf("--body") + 1]] : [],
    );
    const isDraft = asked.some((call) => call.includes("--draft=true") || call.includes("--undo"));
    if (texts.length > 0)
      return `*${environment.LEVEL}${isDraft ? ", a draft" : ""}*\n\n${texts.join("\n\n")}`;
    return asked.some((call) => call[1] === "close") ? "*The pull request is closed.*" : "*No pull request.*";
  }

  /** What `generate` has left to a person since the last merge. */
  let left: string[] = [];

  /** Does in a word what a line asks a person to write, if a rule says how. */
  function writeByHand(line: string): void {
    for (const [form, write] of byHand) {
      const [, files = "", asked = ""] = form.exec(line) ?? [];
      const own = files.split(", ").filter((file) => existsSync(path.join(copy.root, file)));
      for (const file of own) if (files) copy.write(file, write(copy.read(file), asked));
    }
  }

  return {
    copy,
    /** What the night of this document leaves, as `regenerate.yml` does it. */
    async night(document: unknown): Promise<string> {
      const { exitCode, out, err } = await copy.run(["--from", copy.documentFile(document)]);
      if (exitCode !== 0) {
        expect(git("status", "--porcelain")).toBe("");
        return `*Not taken in.* ${err.join("\n")}`;
      }
      const after = (mark: string) =>
        out.flatMap((line) => (line.startsWith(mark) ? [line.slice(mark.length)] : []));
      git("add", "--all");
      const patch = path.join(folder, "regenerate.patch");
      writeFileSync(patch, git("diff", "--cached", "--no-renames"));
      git("reset", "--quiet", "--hard");
      const isChanged = readFileSync(patch, "utf8") !== "";
      left = after("to do: ");
      const environment = { LEVEL: after("level: ").join(), TO_DO: left.join("\n") };
      const text = propose(isChanged ? [patch] : [], environment);
      // The next night begins with a clone.
      git("checkout", "--quiet", "--force", "main");
      git("branch", "--quiet", "--force", "regenerate");
      git("branch", "--quiet", "--delete", "--force", "regenerate");
      return text;
    },
    /** Merges the pull request, writes what it leaves to a person, and releases all that. */
    release(isWhole = false): void {
      if (!existsSync(path.join(folder, "open"))) return;
      git("fetch", "--quiet", "origin", "regenerate");
      git("merge", "--quiet", "--ff-only", "FETCH_HEAD");
      rmSync(path.join(folder, "open"));
      git("push", "--quiet", "origin", "main", ":regenerate");
      left.forEach(writeByHand);
      if (isWhole) command("npm", ["run", "release:version"]);
      else {
        // What `release:version` does, but for the lock, without npm, which takes a second to begin.
        command(process.execPath, ["node_modules/@changesets/cli/bin.js", "version"]);
        copy.write(".changeset/released-openapi.json", copy.read("openapi.json"));
      }
      commit("Release");
    },
  };
}

/** The pull requests of these nights, one after another, and the versions that the manifest and the lock have then. */
export async function proposals(nights: Night[]): Promise<{ text: string; versions: string[] }> {
  const { copy, night, release } = nightlyRepository();
  let document = exampleDocument();
  const told: string[] = [];
  for (const [index, { what, edit, isPassing, isLeftOpen }] of nights.entries()) {
    const next = structuredClone(document);
    const raw = edit(next);
    told.push(`## ${index + 1}. ${what}\n\n${await night(typeof raw === "string" ? raw : next)}\n`);
    if (!isPassing) document = next;
    if (!isLeftOpen) release(index === nights.length - 1);
  }
  expect(await copy.run(["--check"])).toEqual({ exitCode: 0, out: [], err: [] });
  const versions = ["package.json", "package-lock.json"].map((file) => JSON.parse(copy.read(file)).version);
  // Sentences move from page to page.
  const text = told.join("\n").replace(/^- [\w./, -]+: (?=this says |the base URL )/gm, "- FILES: ");
  return { text, versions };
}
