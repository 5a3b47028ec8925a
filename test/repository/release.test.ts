import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "screenshot-sets/package.json";
import { describe, expect, test } from "vitest";
import { isGeneratedChangeset } from "../../scripts/classify/changeset.js";
import { repositoryUrl } from "../../scripts/repository-url.js";
import { repository } from "../helpers/repository.js";
import { temporaryFolder } from "../helpers/temporary-folder.js";

/** What a release of these changesets writes, by their names, with the repository's own command and configuration. */
function released(changesets: Record<string, string>, from: string) {
  const folder = temporaryFolder();
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  const read = (file: string) => readFileSync(join(folder, file), "utf8");

  const taken = ["package.json", "package-lock.json", "openapi.json"];
  for (const file of [...taken, ".changeset/config.json", ".changeset/changelog.cjs"]) {
    cpSync(join(repository, file), join(folder, file), { recursive: true });
  }
  for (const file of ["package.json", "package-lock.json"]) {
    const own = /(?<="name": "screenshot-sets",\s*"version": )"[^"]*"/g;
    writeFileSync(join(folder, file), read(file).replace(own, `"${from}"`));
  }
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
  for (const [name, text] of Object.entries(changesets)) {
    writeFileSync(join(folder, ".changeset", name), text);
  }
  run("git", "init", "--quiet");
  run("git", "add", "--all");
  run(
    "git",
    ...["-c", "user.name=test", "-c", "user.email=test@localhost"],
    ...["commit", "--quiet", "--no-gpg-sign", "-m", "Before"],
  );
  run("npm", "run", "release:version");
  return { read, changelog: read("CHANGELOG.md") };
}

const changeset = (kind: string, summary: string) => `---\n"screenshot-sets": ${kind}\n---\n\n${summary}\n`;

test("a release has the words of the changesets and nothing of commits, and its version in the lock too", () => {
  const changesets = {
    "a.md": changeset("patch", "A wait keeps its pace.\n\n- on one line\n- and another"),
    "b.md": changeset("minor", "`apps.create` takes both URLs."),
  };
  const { read, changelog } = released(changesets, "0.1.0");
  expect(JSON.parse(read("package.json")).version).toBe("0.2.0");
  const lock = JSON.parse(read("package-lock.json"));
  expect([lock.version, lock.packages[""].version]).toEqual(["0.2.0", "0.2.0"]);
  expect(read(".changeset/released-openapi.json")).toBe(read("openapi.json"));
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

// The changesets that describe it are there until then. After it, nothing of this can change.
describe.runIf(version === "0.0.0")("before the first release", () => {
  const folder = join(repository, ".changeset");
  // Those of a document that was pulled meanwhile are about two documents.
  const names = readdirSync(folder).filter((name) => name.endsWith(".md") && !isGeneratedChangeset(name));
  const written = Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
  const history =
    /\b(earlier|former(ly)?|previous(ly)?|until now|used to|no longer|any ?more|in place of|replaces|migrat\w*|renam\w*)\b/i;

  test("what was not released has no entry in the changelog", () => {
    expect(readFileSync(join(repository, "CHANGELOG.md"), "utf8")).toBe("# screenshot-sets\n");
  });

  test("the first release is 0.1.0, whatever else comes with it, and tells of nothing that came before", () => {
    const changesets = { ...written, "further.md": changeset("minor", "A further thing.") };
    const { read, changelog } = released(changesets, version);

    expect(JSON.parse(read("package.json")).version).toBe("0.1.0");
    expect(changelog.match(/^## .*$/gm)).toEqual(["## 0.1.0"]);
    expect(changelog).not.toMatch(history);
  });
});

test("SECURITY.md names no version of Node, which `engines` says", () => {
  expect(readFileSync(join(repository, "SECURITY.md"), "utf8")).not.toMatch(/\bNode(\.js)? \d/);
});

test.each([
  "https://github.com/owner/name",
  "https://user:token@github.com/owner/name.git/",
  "git@github.com:owner/name.git\n",
])("the repository is found without what is private in %j", (remote) => {
  expect(repositoryUrl(remote)).toBe("git+https://github.com/owner/name.git");
});

test.each([
  "",
  "/srv/git/name.git",
  "https://localhost/owner/name",
  "ssh://git@192.168.0.7/owner/name.git",
  "git@work:owner/name.git",
])("no repository is named for %j, where others do not find it", (remote) => {
  expect(repositoryUrl(remote)).toBeUndefined();
});

test("publishing by hand names the repository that git knows, and is refused in a clone of a local one", () => {
  const folder = temporaryFolder();
  cpSync(join(repository, "package.json"), join(folder, "package.json"));
  cpSync(join(repository, "scripts"), join(folder, "scripts"), { recursive: true });
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder });
  const { GITHUB_REPOSITORY: _, ...environment } = process.env;
  const run = (command: string, args: string[], env: NodeJS.ProcessEnv = environment) =>
    spawnSync(command, args, { cwd: folder, env, encoding: "utf8" });
  const manifest = () => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const before = manifest();

  git("init", "--quiet");
  git("remote", "add", "origin", "/srv/git/name.git");
  expect(run("npm", ["run", "--silent", "prepublishOnly"])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("Expected git's remote `origin` to be the public repository"),
  });
  expect(manifest()).toEqual(before);

  git("remote", "set-url", "origin", "git@github.com:owner/name.git");
  const program = ["--import", "tsx", "scripts/name-repository.ts"];
  expect(run(process.execPath, program)).toMatchObject({ status: 0 });
  expect(manifest().repository).toEqual({ type: "git", url: "git+https://github.com/owner/name.git" });

  const workflow = { GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "other/name" };
  expect(run(process.execPath, program, { ...environment, ...workflow })).toMatchObject({ status: 0 });
  expect(manifest().repository.url).toBe("git+https://github.com/other/name.git");
});
