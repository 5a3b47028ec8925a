import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { quoted, Refusal } from "../refusal.js";

/** Compiles the SDK with the given generated modules in place of its own, and throws a `Refusal` if it does not compile. */
export function typeCheck(root: string, modules: ReadonlyMap<string, string>): void {
  const [problem] = problemsIn(root, modules);
  if (!problem) return;
  const { place, text } = problem;
  throw new Refusal("does-not-compile", `${place} does not compile with the document (${quoted(text)})`);
}

/** What a compiler says of a line. */
export interface Problem {
  place: string;
  text: string;
}

/**
 * What the compiler says of the SDK with these generated modules, or of a program that imports it, in a copy. The
 * adapters to msw and BullMQ are left out: they only hand generated types on, and the types of those packages take longer
 * to compile than everything else.
 */
export function problemsIn(root: string, modules: ReadonlyMap<string, string>, program?: string): Problem[] {
  const folder = mkdtempSync(path.join(tmpdir(), "screenshot-sets-"));
  const inCopy = (...names: string[]) => path.join(folder, ...names);
  try {
    for (const part of ["src", "openapi.json", "package.json", "tsconfig.json"]) {
      cpSync(path.join(root, part), inCopy(part), { recursive: true });
    }
    symlinkSync(path.join(root, "node_modules"), inCopy("node_modules"), "junction");
    for (const [name, text] of modules) writeFileSync(inCopy("src/generated", name), text);
    if (program !== undefined) writeFileSync(inCopy("program.ts"), program);
    const config = {
      extends: "./tsconfig.json",
      include: [program === undefined ? "src" : "program.ts"],
      exclude: ["src/mock/msw.ts", "src/durable/bullmq"],
    };
    writeFileSync(inCopy("check.json"), JSON.stringify(config));
    return compile(path.join(root, "node_modules/typescript7/bin/tsc"), folder, "check.json");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function compile(compiler: string, folder: string, project: string): Problem[] {
  // On one thread it takes half the CPU and is as fast: each thread would check the types of the packages anew.
  const options = ["--project", project, "--pretty", "false", "--singleThreaded"];
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, ...options], {
    cwd: folder,
    encoding: "utf8",
  });
  const lines = stdout.matchAll(/^(?:(.+)\((\d+),\d+\): )?error TS\d+: (.+)$/gm);
  const problems = [...lines].map(([, file, line, text = ""]) => {
    return { place: file === undefined ? project : `${file}:${line}`, text };
  });
  if (status !== 0 && problems.length === 0) throw new Error(`the compiler ended with ${status}: ${stderr}`);
  return problems;
}
