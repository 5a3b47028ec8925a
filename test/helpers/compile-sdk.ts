import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What the compiler says of the SDK and its mock when these are the generated files; nothing when all is well. */
export function compileSdk(generated: Map<string, string>): string[] {
  const { config } = ts.readConfigFile(path.join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const replaced = new Map(
    [...generated].map(([name, text]) => [path.join(root, "src", "generated", name), text]),
  );
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (file, target, ...rest) => {
    const text = replaced.get(path.normalize(file));
    return text === undefined
      ? getSourceFile(file, target, ...rest)
      : ts.createSourceFile(file, text, target);
  };
  const source = path.join(root, "src");
  const mock = ts.sys.readDirectory(path.join(source, "mock"), [".ts"]);
  const entries = [path.join(source, "index.ts"), ...mock, ...replaced.keys()];
  const program = ts.createProgram(entries, options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map((found) => `${found.file?.fileName}: ${ts.flattenDiagnosticMessageText(found.messageText, "\n")}`);
}
