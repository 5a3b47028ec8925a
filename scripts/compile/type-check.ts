import path from "node:path";
import ts from "typescript";
import { quoted, Refusal } from "../refusal.js";
import { diagnose } from "./diagnose.js";

/**
 * Compiles the SDK as it would be with other generated modules, all but the adapter to msw: it reads nothing of what
 * is generated, and msw's types take longer than everything else together.
 *
 * @throws Refusal when that does not compile.
 */
export function typeCheck(root: string, modules: ReadonlyMap<string, string>): void {
  const source = path.join(root, "src");
  const texts = new Map(
    [...modules].map(([name, text]) => [path.join(source, "generated", name), text] as const),
  );
  const files = ts.sys.readDirectory(source, [".ts"], [path.join(source, "generated"), "**/msw.ts"]);
  const [problem] = diagnose([...files, ...texts.keys()], optionsIn(root), texts);
  if (problem) {
    const file = problem.file ? path.relative(root, problem.file.fileName) : "the SDK";
    const text = ts.flattenDiagnosticMessageText(problem.messageText, " ");
    throw new Refusal(
      "does-not-compile",
      `Failed to compile the SDK as the document asks for it: ${file}: ${quoted(text)}. Please correct the document or what is made of it.`,
    );
  }
}

function optionsIn(root: string): ts.CompilerOptions {
  const { config } = ts.readConfigFile(path.join(root, "tsconfig.json"), ts.sys.readFile);
  return ts.parseJsonConfigFileContent(config, ts.sys, root).options;
}
