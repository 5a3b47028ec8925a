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

interface Packed {
  id: string;
  version: string;
  size: number;
  unpackedSize: number;
  integrity: string;
  files: { path: string; size: number }[];
}

const read = (command: string, args: string[], cwd = ".") =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

/** Output of commands goes to standard error, so that standard output has only the report. */
const run = (command: string, args: string[]) =>
  execFileSync(command, args, { cwd: copy, stdio: ["ignore", process.stderr, "inherit"] });

const versionIn = (folder: string): string =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version;

/** All files that git would take, as they are now. */
function copyWorkingTree(): void {
  const files = read("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).split("\0");
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

function pack(): Packed {
  run("npm", ["run", "build"]);
  const [packed] = JSON.parse(read("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], copy));
  return packed;
}

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

function report({ id, version, size, unpackedSize, integrity, files }: Packed): string {
  const now = versionIn(".");
  const because = version === now ? "no changeset is pending" : `package.json says ${now}`;
  return [
    `${id} would be published (${because}).`,
    `## ${version}\n\n${releaseNotes(readFileSync(join(copy, "CHANGELOG.md"), "utf8"), version)}`,
    files.map(({ path, size }) => `${kilobytes(size).padStart(10)}  ${path}`).join("\n"),
    `${files.length} files, ${kilobytes(size)} packed, ${kilobytes(unpackedSize)} unpacked\n${integrity}`,
  ].join("\n\n");
}

rmSync(copy, { recursive: true, force: true });
try {
  copyWorkingTree();
  applyChangesets();
  console.log(report(pack()));
} finally {
  rmSync(copy, { recursive: true, force: true });
}
