import ts from "typescript";

const options: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  lib: ["lib.es5.d.ts"],
  skipLibCheck: true,
  types: [],
};
const disk = ts.createCompilerHost(options);

/** The compiler's own libraries, which are parsed once. */
const libraries = new Map<string, ts.SourceFile | undefined>();

/** What the compiler says of a file and those that it reaches, all of them in memory. */
export function compile(entry: string, texts: ReadonlyMap<string, string>): string[] {
  const { directoryExists: _, ...host } = disk;
  const program = ts.createProgram([entry], options, {
    ...host,
    fileExists: (file) => texts.has(file),
    readFile: (file) => texts.get(file),
    getSourceFile(file, target) {
      const text = texts.get(file);
      if (text !== undefined) return ts.createSourceFile(file, text, target);
      if (!libraries.has(file)) libraries.set(file, disk.getSourceFile(file, target));
      return libraries.get(file);
    },
  });
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
}
