import path from "node:path";
import ts from "typescript";
import { quoted, Refusal } from "../refusal.js";

/**
 * Compiles the SDK with the given generated modules in place of its own. The adapters to msw and BullMQ are left out:
 * they only hand generated types on, and the types of those packages take longer to compile than everything else.
 *
 * @throws Refusal when that does not compile.
 */
export function typeCheck(root: string, modules: ReadonlyMap<string, string>): void {
  const source = path.join(root, "src");
  const generated = path.join(source, "generated");
  const texts = new Map([...modules].map(([name, text]) => [path.join(generated, name), text]));
  const files = ts.sys.readDirectory(source, [".ts"], [generated, "**/msw.ts", "**/bullmq"]);
  const { config } = ts.readConfigFile(path.join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const [problem] = diagnose([...files, ...texts.keys()], options, texts);
  if (problem) {
    const { file, start = 0, messageText } = problem;
    const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
    const where = file ? `${path.relative(root, file.fileName)}:${line}` : "tsconfig.json";
    const text = ts.flattenDiagnosticMessageText(messageText, " ");
    throw new Refusal("does-not-compile", `${where} does not compile with the document (${quoted(text)})`);
  }
}

/** Parsed files of packages and of the compiler itself. They do not change while the process runs. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** The compiler's diagnostics for a program whose files are on disk, except those in `texts`. */
export function diagnose(
  entries: string[],
  options: ts.CompilerOptions,
  texts: ReadonlyMap<string, string>,
): readonly ts.Diagnostic[] {
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile, readFile } = host;
  const textOf = (file: string) => texts.get(path.normalize(file));
  // The folders of the files in `texts` need not exist.
  delete host.directoryExists;
  host.fileExists = (file) => textOf(file) !== undefined || fileExists(file);
  host.readFile = (file) => textOf(file) ?? readFile(file);
  host.getSourceFile = (file, target, ...rest) => {
    const text = textOf(file);
    if (text !== undefined) return ts.createSourceFile(file, text, target);
    if (!file.includes("/node_modules/")) return getSourceFile(file, target, ...rest);
    if (!parsed.has(file)) parsed.set(file, getSourceFile(file, target, ...rest));
    return parsed.get(file);
  };
  return ts.getPreEmitDiagnostics(ts.createProgram(entries, options, host));
}
