import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "./repository.js";

// Every ```ts block of the README, of AGENTS.md, of `docs/` and of an `@example` in a doc comment is a whole program.

/** Inside the repository, or the samples would not find its packages. */
export const folder = join(repository, "test", ".readme");

export const textOf = (path: string) => readFileSync(join(repository, path), "utf8");
export const filesIn = (path: string, end: string) =>
  readdirSync(join(repository, path), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(end))
    .map((file) => `${path}/${file}`);

/** Every sample, with the file that it is run from. */
export const samples = [
  "README.md",
  "AGENTS.md",
  ...filesIn("docs", ".md"),
  ...filesIn("src", ".ts"),
].flatMap((path) => {
  const blocks = [...textOf(path).matchAll(/^( *\* )?```ts\n(.*?)^\1?```$/gms)];
  return blocks.map(({ index, 1: margin = "", 2: block = "" }) => {
    const line = textOf(path).slice(0, index).split("\n").length + 1;
    const text = margin === "" ? block : block.replaceAll(/^ *\* ?/gm, "");
    const file = join(folder, `${path.replaceAll(/[/.]/g, "-")}-${line}.ts`);
    return { place: `${path}:${line}`, text, file, isTest: /from "vitest"/.test(text) };
  });
});

/** Writes the samples before the type tests, which compile them too. */
export function setup(): () => void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  // A sample without imports is a module too.
  for (const { file, text } of samples) writeFileSync(file, `${text}\nexport {};\n`);
  return () => rmSync(folder, { recursive: true, force: true });
}
