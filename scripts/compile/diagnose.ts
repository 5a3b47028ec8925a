import path from "node:path";
import ts from "typescript";

/** Parsed files of packages and of the compiler itself, which do not change while the process runs. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** What the compiler finds in a program whose files are on disk, but for those that are given as text. */
export function diagnose(
  entries: string[],
  options: ts.CompilerOptions,
  texts: ReadonlyMap<string, string>,
): readonly ts.Diagnostic[] {
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile, readFile } = host;
  const textOf = (file: string) => texts.get(path.normalize(file));
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
