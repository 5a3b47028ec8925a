import { cpSync, lstatSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { withFacts } from "../../scripts/emit/readme-facts.js";
import { normalise } from "../../scripts/normalise/normalise.js";
import { runGenerate } from "../../scripts/run-generate.js";
import { documentText } from "../../scripts/vet/parse-document.js";
import { exampleDocument, generate } from "../helpers/generated-module.js";
import { repository } from "../helpers/repository.js";
import { temporaryFolder } from "../helpers/temporary-folder.js";

/** What is generated from and into. */
const parts = [
  ..."AGENTS.md openapi.json package.json README.md SECURITY.md tsconfig.json".split(" "),
  ...[".changeset", "docs", "examples", "src"],
];

/** The result of a run of the command. */
export interface Run {
  exitCode: number;
  out: string[];
  err: string[];
}

export type WorkingCopy = ReturnType<typeof workingCopy>;

/** The modules generated from the example, by file name. */
const generated = await generate(exampleDocument());

/**
 * A copy of the files for generation, with the example as the repository's document and its last release; or a copy of
 * another working copy. It is removed like a temporary folder.
 */
export function workingCopy(atEnd?: (remove: () => void) => void, original = repository) {
  const folder = temporaryFolder(atEnd);
  const root = path.join(folder, "copy");
  for (const part of parts) {
    cpSync(path.join(original, part), path.join(root, part), { recursive: true });
  }
  if (original === repository) followExample(root);
  symlinkSync(path.join(repository, "node_modules"), path.join(root, "node_modules"), "dir");
  return {
    root,
    /** Runs `npm run generate` in this process, as the repository has it or as another `command` does it. */
    async run(
      commandLine: string[],
      {
        command = runGenerate,
        ...options
      }: { command?: typeof runGenerate; environment?: Record<string, string>; timeoutMs?: number } = {},
    ): Promise<Run> {
      const out: string[] = [];
      const err: string[] = [];
      const exitCode = await command(commandLine, {
        root,
        environment: {},
        timeoutMs: 10_000,
        ...options,
        say: (line) => out.push(line),
        complain: (line) => err.push(line),
      });
      return { exitCode, out, err };
    },
    /** Writes a document beside the copy and returns its path. */
    documentFile(document: unknown): string {
      const file = path.join(folder, "document.json");
      const isRaw = typeof document === "string" || document instanceof Uint8Array;
      writeFileSync(file, isRaw ? document : JSON.stringify(document));
      return file;
    },
    read: (file: string) => readFileSync(path.join(root, file), "utf8"),
    write: (file: string, text: string) => writeFileSync(path.join(root, file), text),
    remove: (file: string) => rmSync(path.join(root, file)),
    /** Every file with its text, for comparing all of them at once. */
    files: () => filesIn(root),
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
  const readme = readFileSync(path.join(root, "README.md"), "utf8");
  writeFileSync(path.join(root, "README.md"), withFacts(readme, normalise(exampleDocument()), 10));
}

function filesIn(root: string): Map<string, string> {
  const files = readdirSync(root).flatMap((name) => {
    const place = path.join(root, name);
    // Not the packages, which are linked.
    if (lstatSync(place).isSymbolicLink()) return [];
    if (!lstatSync(place).isDirectory()) return [name];
    return readdirSync(place, { recursive: true, encoding: "utf8" }).map((file) => path.join(name, file));
  });
  const textOf = (file: string) => (lstatSync(file).isDirectory() ? "" : readFileSync(file, "latin1"));
  return new Map(files.sort().map((file) => [file, textOf(path.join(root, file))]));
}
