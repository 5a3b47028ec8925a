import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { runGenerate } from "../../scripts/run-generate.js";
import { documentText } from "../../scripts/vet/parse-document.js";
import { exampleDocument, generate } from "./generated-module.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** What is generated from and into. */
const parts = [".changeset", "openapi.json", "package.json", "src", "tsconfig.json"];

/** The result of a run of the command. */
export interface Run {
  exitCode: number;
  out: string[];
  err: string[];
}

export interface WorkingCopy {
  root: string;
  /** Runs `npm run generate` in this process. */
  run(
    commandLine: string[],
    options?: { environment?: Record<string, string>; timeoutMs?: number },
  ): Promise<Run>;
  /** Writes a document beside the copy and returns its path. */
  documentFile(document: unknown): string;
  read(file: string): string;
  write(file: string, text: string): void;
  remove(file: string): void;
  /** Every file with its text, for comparing all of them at once. */
  files(): Map<string, string>;
  dispose(): void;
}

/** The modules generated from the example, by file name. */
const generated = await generate(exampleDocument());

/**
 * A copy of the files for generation, with the example as the repository's document and its last release; or a copy of
 * another working copy.
 */
export function workingCopy(original = repository): WorkingCopy {
  const folder = mkdtempSync(path.join(tmpdir(), "screenshot-sets-"));
  const root = path.join(folder, "copy");
  for (const part of parts) {
    cpSync(path.join(original, part), path.join(root, part), { recursive: true });
  }
  if (original === repository) followExample(root);
  symlinkSync(path.join(repository, "node_modules"), path.join(root, "node_modules"), "dir");
  return {
    root,
    async run(commandLine, { environment = {}, timeoutMs = 10_000 } = {}) {
      const [out, err]: string[][] = [[], []];
      const exitCode = await runGenerate(commandLine, {
        root,
        environment,
        timeoutMs,
        say: (line) => out?.push(line),
        complain: (line) => err?.push(line),
      });
      return { exitCode, out: out ?? [], err: err ?? [] };
    },
    documentFile(document) {
      const file = path.join(folder, "document.json");
      const isRaw = typeof document === "string" || document instanceof Uint8Array;
      writeFileSync(file, isRaw ? document : JSON.stringify(document));
      return file;
    },
    read: (file) => readFileSync(path.join(root, file), "utf8"),
    write: (file, text) => writeFileSync(path.join(root, file), text),
    remove: (file) => rmSync(path.join(root, file)),
    files: () => filesIn(root),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function followExample(root: string): void {
  const changesets = path.join(root, ".changeset");
  for (const name of readdirSync(changesets)) if (name.endsWith(".md")) rmSync(path.join(changesets, name));
  const text = documentText(exampleDocument());
  for (const file of [path.join(root, "openapi.json"), path.join(changesets, "released-openapi.json")]) {
    writeFileSync(file, text);
  }
  for (const [name, code] of generated) writeFileSync(path.join(root, "src/generated", name), code);
}

/** Includes folders, because a folder that was left behind would be a change. */
function filesIn(root: string): Map<string, string> {
  const list = (folder: string, recursive: boolean) =>
    readdirSync(folder, { recursive, withFileTypes: true });
  const entries = list(root, false)
    // Node 22 and later would follow the link to the packages, and list them all.
    .filter((entry) => !entry.isSymbolicLink())
    .flatMap((entry) => [entry, ...(entry.isDirectory() ? list(path.join(root, entry.name), true) : [])])
    .map((entry) => [path.join(entry.parentPath, entry.name), entry.isFile()] as const);
  return new Map(
    entries
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([file, isFile]) => [path.relative(root, file), isFile ? readFileSync(file, "latin1") : ""]),
  );
}
