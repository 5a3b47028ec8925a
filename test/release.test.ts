import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { releaseNotes } from "../scripts/release-notes.js";

const repository = fileURLToPath(new URL("..", import.meta.url));

/** The version and the changelog after a release of these changesets, with the repository's own configuration. */
function released(changesets: string[]) {
  const folder = mkdtempSync(join(tmpdir(), "release-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });

  mkdirSync(join(folder, ".changeset"));
  for (const file of ["config.json", "changelog.cjs"]) {
    cpSync(join(repository, ".changeset", file), join(folder, ".changeset", file));
  }
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "screenshot-sets", version: "0.1.0", type: "module" }),
  );
  changesets.forEach((text, index) => {
    writeFileSync(join(folder, ".changeset", `change-${index}.md`), text);
  });
  run("git", "init", "--quiet");
  run("git", "add", "--all");
  run(
    "git",
    ...["-c", "user.name=test", "-c", "user.email=test@localhost"],
    ...["commit", "--quiet", "--no-gpg-sign", "-m", "Before"],
  );
  run(process.execPath, join(repository, "node_modules/@changesets/cli/bin.js"), "version");
  return {
    version: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version,
    changelog: readFileSync(join(folder, "CHANGELOG.md"), "utf8"),
  };
}

const changeset = (kind: string, summary: string) => `---\n"screenshot-sets": ${kind}\n---\n\n${summary}\n`;

test("the changelog has the words of the changesets, and nothing of commits", () => {
  const { version, changelog } = released([
    changeset("patch", "A wait keeps its pace.\n\n- on one line\n- and another"),
    changeset("minor", "`apps.create` takes both URLs."),
  ]);
  expect(version).toBe("0.2.0");
  expect(changelog).toBe(`# screenshot-sets

## 0.2.0

### Minor Changes

- \`apps.create\` takes both URLs.

### Patch Changes

- A wait keeps its pace.

  - on one line
  - and another
`);
});

test("the notes of a release are its section of the changelog, without its heading", () => {
  const changelog = "# screenshot-sets\n\n## 0.10.0\n\nTen\n\n## 0.1.0\n\n### Patch Changes\n\n- One\n";
  expect(releaseNotes(changelog, "0.10.0")).toBe("Ten");
  expect(releaseNotes(changelog, "0.1.0")).toBe("### Patch Changes\n\n- One");
  expect(() => releaseNotes(changelog, "0.1")).toThrow("Expected CHANGELOG.md to say what changed in 0.1.");
});

test("the changelog says what the version in package.json brought", () => {
  const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
  expect(releaseNotes(readFileSync(join(repository, "CHANGELOG.md"), "utf8"), version)).not.toBe("");
});
