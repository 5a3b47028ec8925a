/**
 * Shows what the next release would publish, and publishes nothing. The pending changesets are applied, and the
 * package is built and packed, in a copy of what was committed last: the working tree stays as it is.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { releaseNotes } from "./release-notes.js";

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
  return [
    `${id} would be published (${because}).\n`,
    `## ${version}\n\n${releaseNotes(readFileSync(join(copy, "CHANGELOG.md"), "utf8"), version)}\n`,
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
