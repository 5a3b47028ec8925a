/** Shows what the next release would publish, with the pending changesets, from a copy of what was committed last. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/** Inside the repository, so that relative paths to `node_modules` resemble the real ones; ignored by git. */
const copy = ".release";

/** Runs a command in the copy. Only its standard error is shown; standard output is reserved for the report. */
const run = (command: string, args: string[], cwd = copy) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

/** Builds and packs the copy, and describes the package. */
function report(): string {
  run("npm", ["run", "build"]);
  const [packed] = JSON.parse(run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"]));
  const { id, version, size, unpackedSize, integrity, files } = packed;
  const now = JSON.parse(readFileSync("package.json", "utf8")).version;
  const because = version === now ? "no changeset is pending" : `package.json says ${now}`;
  const sections = readFileSync(join(copy, "CHANGELOG.md"), "utf8").split(/^## /m);
  const notes = sections.find((text) => text.startsWith(`${version}\n`))?.trim();
  if (!notes) throw new Error(`Expected CHANGELOG.md to say what changed in ${version}.`);
  return [
    `${id} would be published (${because}).\n`,
    `## ${notes}\n`,
    ...files.map(
      ({ path, size }: { path: string; size: number }) => `${kilobytes(size).padStart(10)}  ${path}`,
    ),
    `\n${files.length} files, ${kilobytes(size)} packed, ${kilobytes(unpackedSize)} unpacked\n${integrity}`,
  ].join("\n");
}

const removeCopy = () => run("git", ["worktree", "remove", "--force", copy], ".");

if (existsSync(copy)) removeCopy();
try {
  run("git", ["worktree", "add", "--quiet", "--detach", copy], ".");
  symlinkSync(join("..", "node_modules"), join(copy, "node_modules"));
  run("npm", ["run", "release:version"]);
  console.log(report());
} finally {
  removeCopy();
}
