import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../helpers/temporary-folder.js";

const script = fileURLToPath(new URL("../../.ci/propose", import.meta.url));
const branches = { regeneration: "regenerate", release: "changeset-release/main" };
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const manifest = (version: string, more = {}) =>
  json({ name: "screenshot-sets", version, type: "module", ...more });
const lock = (version: string, more = {}) =>
  json({ name: "screenshot-sets", version, lockfileVersion: 3, packages: { "": { version }, ...more } });

type Kind = keyof typeof branches;
interface Environment {
  LEVEL?: string;
  TO_DO?: string;
  OPEN_PULL_REQUEST?: string;
}

/** What is there before any patch. */
const before = {
  "openapi.json": "{}\n",
  "README.md": "by hand\n<!-- facts -->\n1\n<!-- /facts -->\nby hand\n",
  "src/generated/openapi.ts": "1;\n",
  "package.json": manifest("0.1.0"),
  "package-lock.json": lock("0.1.0"),
  "CHANGELOG.md": "# screenshot-sets\n",
  ".changeset/config.json": "{}\n",
  ".changeset/released-openapi.json": "{}\n",
  ".changeset/openapi-0123456789ab.md": "old\n",
};

// A repository with a remote of its own, and in place of `gh` a program that writes down what it is asked.
const folder = temporaryFolder(afterAll);
const [work, remote, bin, log] = ["work", "remote", "bin", "gh.txt"].map((name) =>
  path.join(folder, name),
) as [string, string, string, string];

const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@localhost", ...args], {
    cwd: work,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });

function write(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(work, file)), { recursive: true });
  writeFileSync(path.join(work, file), text);
}

for (const [file, text] of Object.entries(before)) write(file, text);
mkdirSync(path.join(work, ".ci"));
cpSync(script, path.join(work, ".ci", "propose"));
mkdirSync(bin);
writeFileSync(
  path.join(bin, "gh"),
  `#!/bin/sh\nfor word; do printf '%s|' "$word"; done | tr '\\n' ' ' >> "${log}"; echo >> "${log}"\n[ "$1 $2" = "pr list" ] && echo "$OPEN_PULL_REQUEST"\ntrue\n`,
  { mode: 0o755 },
);
execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", remote]);
git("init", "--quiet", "--initial-branch=main");
git("add", "--all");
git("commit", "--quiet", "--no-gpg-sign", "-m", "Before");
git("remote", "add", "origin", remote);
git("push", "--quiet", "origin", "main");
const onRemote = (...args: string[]) => git("--git-dir", remote, ...args);

/** Removes what the script has pushed, or switched to. */
function forget(gitFolder: string): void {
  for (const branch of Object.values(branches)) {
    rmSync(path.join(gitFolder, "refs/heads", branch), { force: true });
  }
}
beforeEach(() => forget(remote));

/** Each run of the workflow begins with a clone of main alone. */
function clean(): void {
  git("checkout", "--quiet", "--force", "--detach", "main");
  forget(path.join(work, ".git"));
}

/** Runs the script, with what it asked `gh`. */
function run(args: string[], environment: Environment) {
  writeFileSync(log, "");
  const { status, stdout } = spawnSync(path.join(work, ".ci", "propose"), args, {
    encoding: "utf8",
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: folder, ...environment },
  });
  const asked = readFileSync(log, "utf8").split("\n").filter(Boolean);
  return { exitCode: status, out: stdout, asked };
}

/** The patch that a change of the working tree makes, and what the script does with it on a clean tree. */
function propose(kind: Kind, change: () => void, environment: Environment = {}) {
  clean();
  change();
  git("add", "--all");
  const patch = path.join(folder, "proposal.patch");
  writeFileSync(patch, git("diff", "--cached", "--no-renames"));
  clean();
  return run([kind, patch], environment);
}

const regenerate = (change: () => void, environment: Environment) =>
  propose("regeneration", change, environment);

const proposed = (kind: Kind) => onRemote("diff", "--name-status", "main", branches[kind]).trim().split("\n");

test("opens one pull request with what was generated, and starts its checks", () => {
  const { exitCode, asked } = regenerate(
    () => {
      write("openapi.json", '{ "a": 1 }\n');
      write("src/generated/openapi.ts", "2;\n");
      write("README.md", before["README.md"].replace("1", "2\n3"));
      write(".changeset/openapi-ba9876543210.md", "new\n");
      rmSync(path.join(work, ".changeset/openapi-0123456789ab.md"));
    },
    { LEVEL: "additive" },
  );
  expect(exitCode).toBe(0);
  expect(proposed("regeneration")).toEqual([
    "D\t.changeset/openapi-0123456789ab.md",
    "A\t.changeset/openapi-ba9876543210.md",
    "M\tREADME.md",
    "M\topenapi.json",
    "M\tsrc/generated/openapi.ts",
  ]);
  const [created, ...others] = asked.filter((line) => line.startsWith("pr|create|"));
  expect([created, others]).toEqual([expect.stringContaining("|--draft=false|"), []]);
  expect(asked).toContainEqual(
    expect.stringMatching(/^pr\|edit\|regenerate\|.*\|--add-label\|openapi: additive\|--remove-label\|/),
  );
  expect(asked.at(-1)).toBe("workflow|run|ci.yml|--ref|regenerate|");
});

test("says in the pull request what changed for users, in plain lines of the changeset", () => {
  const told = [
    "`apps.create` takes `locale`",
    "the answer of `jobs.get` has `result.slides[].$name+~%@`",
    '`client.request("GET", "/public/v1/apps/{id}")` is typed',
    "`device` of `screenshots.create` may be `a?b`",
    "the service's base URL is `https://api.example.com/v1`, no longer one that ends in `/api/v1`",
    "`iosUrl` of `apps.create` is of the pattern `^https://(itunes|apps)\\.apple\\.com/.*?\\d+$`",
    'a set takes `<b>`, `@names` and "quotes"; as code',
  ];
  const { asked } = regenerate(
    () => {
      write("openapi.json", '{ "a": 1 }\n');
      const bad = ["- see <b>this</b>", "- @someone", "- `a` @someone `b`", "$(touch evil)"];
      bad.push(`- ${"long ".repeat(200)}`);
      const lines = [...told.map((line) => `- ${line}`), ...bad];
      write(".changeset/openapi-ba9876543210.md", `---\n---\n\n${lines.join("\n")}\n`);
    },
    { LEVEL: "breaking", TO_DO: "README.md: what `locale` is\n<b>evil</b>" },
  );
  const created = asked.find((line) => line.startsWith("pr|create|"));
  expect(created).toMatch(/ The change breaks code .*\|--draft=true\|$/);
  expect(created).toContain(`For users of the SDK:  ${told.map((line) => `- ${line}`).join(" ")}`);
  expect(created).toContain(`${told.at(-1)} - and 5 more that cannot be shown here `);
  expect(created).toContain(
    "Left for a person:  - README.md: what `locale` is - and 1 more that cannot be shown here ",
  );
  expect(created).not.toMatch(/see <b>|someone|evil|long long/);
});

test("shows forty lines of a changeset and counts the others", () => {
  const lines = Array.from({ length: 43 }, (_, index) => `- line ${index}`);
  const { asked } = regenerate(
    () => {
      write("openapi.json", '{ "a": 1 }\n');
      write(".changeset/openapi-ba9876543210.md", `---\n---\n\n${lines.join("\n")}\n`);
    },
    { LEVEL: "additive" },
  );
  const created = asked.find((line) => line.startsWith("pr|create|"));
  expect(created).toContain("- line 39 - and 3 more that cannot be shown here|");
});

test("brings the open pull request up to date, and leaves it alone while the document is the same", () => {
  regenerate(() => write("openapi.json", "1\n"), { LEVEL: "docs" });

  const same = regenerate(() => write("openapi.json", "1\n"), { LEVEL: "docs", OPEN_PULL_REQUEST: "7" });
  expect(same).toMatchObject({ exitCode: 0, asked: ["auth|setup-git|"] });

  const other = regenerate(() => write("openapi.json", "22\n"), {
    LEVEL: "breaking",
    OPEN_PULL_REQUEST: "7",
  });
  expect(other.exitCode).toBe(0);
  expect(proposed("regeneration")).toEqual(["M\topenapi.json"]);
  expect(other.asked.filter((line) => line.startsWith("pr|create|"))).toEqual([]);
  expect(other.asked).toContainEqual(expect.stringMatching(/^pr\|edit\|7\|--body\|/));
  expect(other.asked).toContainEqual(expect.stringContaining("|--remove-label|openapi: docs|"));
  expect(other.asked).toContainEqual(expect.stringContaining("|--add-label|openapi: breaking|"));
  expect(other.asked).toContain("pr|ready|regenerate|--undo|");
});

/** What a program that is no regeneration may have left behind. */
const touched: Record<string, () => void> = {
  "a file of its own beside those of a regeneration": () => {
    write("openapi.json", "1\n");
    write("evil.sh", "evil\n");
  },
  "a changeset of another name": () => write(".changeset/evil.md", "evil\n"),
  "the released document": () => write(".changeset/released-openapi.json", "1\n"),
  "a folder among the generated files": () => write("src/generated/evil/openapi.ts", "evil\n"),
  "a file with a strange name": () => write("src/generated/evil\n.ts", "evil\n"),
  "a program": () => write("src/generated/evil", "evil\n"),
  "a link": () => {
    rmSync(path.join(work, "openapi.json"));
    symlinkSync("/etc/passwd", path.join(work, "openapi.json"));
  },
};

test.each(Object.entries(touched))("refuses a patch with %s", (_, change) => {
  const { exitCode, out, asked } = regenerate(change, { LEVEL: "docs" });
  expect(exitCode).toBe(1);
  expect(out).toContain("::error::The patch of a regeneration touches what is not its own");
  expect(asked).toEqual([]);
});

test("refuses a patch of the README beside its facts", () => {
  const changed = () => write("README.md", before["README.md"].replace("by hand", "evil"));

  expect(regenerate(changed, { LEVEL: "docs" })).toMatchObject({
    exitCode: 1,
    asked: [],
    out: expect.stringContaining("changes more of README.md than its facts"),
  });
});

test("refuses a level that is none", () => {
  const { exitCode, asked } = regenerate(() => write("openapi.json", "1\n"), { LEVEL: "$(evil)" });
  expect([exitCode, asked]).toEqual([1, []]);
});

/** What a release of version 0.2.0 writes. */
function version(): void {
  write("package.json", manifest("0.2.0"));
  write("package-lock.json", lock("0.2.0"));
  write("CHANGELOG.md", "# screenshot-sets\n\n## 0.2.0\n");
  write(".changeset/released-openapi.json", "[]\n");
  rmSync(path.join(work, ".changeset/openapi-0123456789ab.md"));
}

test("keeps one pull request open for the next release", () => {
  const { exitCode, asked } = propose("release", version);
  expect(exitCode).toBe(0);
  expect(proposed("release")).toEqual([
    "D\t.changeset/openapi-0123456789ab.md",
    "M\t.changeset/released-openapi.json",
    "M\tCHANGELOG.md",
    "M\tpackage-lock.json",
    "M\tpackage.json",
  ]);
  expect(asked).toEqual([
    "auth|setup-git|",
    expect.stringMatching(/^pr\|list\|--head\|changeset-release\/main\|/),
    expect.stringMatching(/^pr\|create\|.*\|--title\|Next release\|.*\|--draft=false\|$/),
    "workflow|run|ci.yml|--ref|changeset-release/main|",
  ]);

  const open = { OPEN_PULL_REQUEST: "7" };
  expect(propose("release", version, open)).toMatchObject({ exitCode: 0, asked: ["auth|setup-git|"] });
  const written = () => {
    version();
    write("CHANGELOG.md", "# screenshot-sets\n\n## 0.2.0\n\nMore\n");
  };
  const more = propose("release", written, open);
  expect(more.asked).toContainEqual(expect.stringMatching(/^pr\|edit\|7\|--body\|/));
});

test("closes a pull request that has nothing left to propose", () => {
  expect(run(["release"], {}).asked).toEqual([expect.stringMatching(/^pr\|list\|/)]);
  const { exitCode, asked } = run(["release"], { OPEN_PULL_REQUEST: "7" });
  expect(exitCode).toBe(0);
  expect(asked.at(-1)).toMatch(/^pr\|close\|7\|.*\|--delete-branch\|$/);
});

const lockChanged = "changes more of package-lock.json";

test.each([
  ["a source file", "touches what is not its own", "src/generated/openapi.ts", "evil\n"],
  ["the changesets' own program", "touches what is not its own", ".changeset/changelog.cjs", "evil\n"],
  ["another script", "changes more of package.json", "package.json", manifest("0.2.0", { scripts: {} })],
  ["a version that is none", "changes more of package.json", "package.json", manifest("0.2.0; evil")],
  ["another dependency", lockChanged, "package-lock.json", lock("0.2.0", { evil: {} })],
  ["another version in the lock", lockChanged, "package-lock.json", lock("0.3.0")],
])("refuses a patch of a release with %s", (_, reason, file, text) => {
  const { exitCode, out, asked } = propose("release", () => {
    version();
    write(file, text);
  });
  expect(exitCode).toBe(1);
  expect(out).toContain(`::error::The patch of a release ${reason}`);
  expect(asked).toEqual([]);
});
