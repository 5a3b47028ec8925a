/**
 * Shows what the next release would publish, and publishes nothing. The pending changesets are applied, and the
 * package is built and packed, in a copy of the working tree: the repository stays as it is.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { releaseNotes } from "./release-notes.js";

/** Inside the repository, so that relative paths to `node_modules` resemble the real ones; ignored by git. */
const copy = ".release";

/** Runs a command in the copy. Only its standard error is shown; standard output is reserved for the report. */
const run = (command: string, args: string[], cwd = copy) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

/** Copies all files that git tracks or would add, in their current state. */
function copyWorkingTree(): void {
  const files = run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], ".").split("\0");
  for (const file of files.filter((file) => file !== "" && existsSync(file))) cpSync(file, join(copy, file));
  symlinkSync(join("..", "node_modules"), join(copy, "node_modules"));
}

/** Writes the next version and its changelog. changesets reads the history, so the copy gets its own repository. */
function applyChangesets(): void {
  const author = ["-c", "user.name=release", "-c", "user.email=release@localhost"];
  run("git", ["init", "--quiet"]);
  run("git", ["add", "--all"]);
  run("git", [...author, "commit", "--quiet", "--no-gpg-sign", "--no-verify", "-m", "Before"]);
  run("npm", ["run", "release:version"]);
}

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

rmSync(copy, { recursive: true, force: true });
try {
  copyWorkingTree();
  applyChangesets();
  console.log(report());
} finally {
  rmSync(copy, { recursive: true, force: true });
}
