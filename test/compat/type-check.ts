import { spawnSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installTypeScript } from "./prepare.js";
import type { Resolution, TypeCheck, TypeScript } from "./projects.js";

/** The formats that a file is checked in, by the ends of their names, where the format decides how it resolves. */
const bothFormats = ["mts", "cts"];

const resolutions: Record<Resolution, { module: string; ends: string[] }> = {
  node16: { module: "node16", ends: bothFormats },
  nodenext: { module: "nodenext", ends: bothFormats },
  bundler: { module: "esnext", ends: ["ts"] },
  node10: { module: "commonjs", ends: ["ts"] },
};

/**
 * What a compiler says of another package's declarations, which are theirs to keep, and the lines that explain it.
 * Under `node16`, msw 2 has problems of its own.
 */
const isForeign = /^[^(]*node_modules\/(?!screenshot-sets\/)|^\s/;

/**
 * Has a compiler check a consumer's files, and all the declarations that they reach, in a prepared project, and write
 * the declarations of those files.
 *
 * @returns a line for each problem in its files or in either's declarations
 */
export function typeCheck(
  folder: string,
  { files, platforms, isolated = false }: TypeCheck,
  typescript: TypeScript,
  resolution: Resolution,
): string[] {
  const { module, ends } = resolutions[resolution];
  const outDir = join(folder, "declarations");
  const sources = files.flatMap((from) => ends.map((end) => ({ from, to: from.replace(/ts$/, end) })));
  const config = {
    compilerOptions: {
      moduleResolution: resolution,
      module,
      target: "es2022",
      lib: ["es2022", ...(platforms.includes("dom") ? ["dom", "dom.iterable"] : [])],
      types: platforms.includes("node") ? ["node"] : [],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      esModuleInterop: true,
      declaration: true,
      emitDeclarationOnly: true,
      outDir,
      // TypeScript 5.5 brought it.
      ...(isolated && typescript !== "5.4" ? { isolatedDeclarations: true } : {}),
      // TypeScript 6, which is also the installed one, has `node10` for the last time.
      ...(["installed", "6.0"].includes(typescript) && resolution === "node10"
        ? { ignoreDeprecations: "6.0" }
        : {}),
    },
    files: sources.map(({ to }) => to),
  };
  rmSync(outDir, { recursive: true, force: true });
  for (const { from, to } of sources) if (from !== to) copyFileSync(join(folder, from), join(folder, to));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [installTypeScript(typescript), "--project", folder, "--pretty", "false"],
    { cwd: folder, encoding: "utf8" },
  );
  if (status !== 0 && stdout === "") return [`The compiler ended with ${status}. ${stderr}`];
  const problems = stdout.split("\n").filter((line) => line !== "" && !isForeign.test(line));
  if (problems.length > 0) return problems;
  const declarations = readdirSync(outDir).map((name) => readFileSync(join(outDir, name), "utf8"));
  return declarations.flatMap(declarationProblems);
}

/** Declarations name what the package exports, never its insides, and are of the type that the comment above says. */
export function declarationProblems(text: string): string[] {
  const insides = [...text.matchAll(/["'][^"'\n]*\bdist\/[^"'\n]*["']/g)].map(([path]) => `Names ${path}.`);
  const described = text.matchAll(/\/\*\* (.+) \*\/\s+export declare const (\w+): (.+);$/gm);
  const others = [...described].flatMap(([, meant, name, type = ""]) => {
    const shown = type.replaceAll(/import\("screenshot-sets[\w/]*"\)\./g, "");
    return shown === meant ? [] : [`Expected ${name} to be of type ${meant}, got ${shown}.`];
  });
  return [...insides, ...others];
}
