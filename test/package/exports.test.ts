import { readFileSync } from "node:fs";
import ts from "typescript";
import { expect, test } from "vitest";

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** What a file exports: its own declarations, and what it passes on by name. */
function exportsOf(path: string): string[] {
  const { statements } = ts.createSourceFile(path, textOf(path), ts.ScriptTarget.Latest);
  return statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      if (!statement.exportClause || !ts.isNamedExports(statement.exportClause)) {
        throw new Error(`Expected ${path} to export by name.`);
      }
      return statement.exportClause.elements.map(({ name }) => name.text);
    }
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (!isExported) return [];
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map(({ name }) => (name as ts.Identifier).text);
    }
    const isNamed = ts.isFunctionDeclaration(statement) || ts.isInterfaceDeclaration(statement);
    return isNamed && statement.name ? [statement.name.text] : [];
  });
}

// The package's own test holds the same list against the built package, kinds included.
test.each([
  ["screenshot-sets", "src/index.ts"],
  ["screenshot-sets/mock", "src/mock/index.ts"],
  ["screenshot-sets/mock/msw", "src/mock/msw.ts"],
  ["screenshot-sets/batch", "src/batch/index.ts"],
  ["screenshot-sets/durable", "src/durable/index.ts"],
  ["screenshot-sets/bullmq", "src/durable/bullmq/index.ts"],
  ["screenshot-sets/undici", "src/request/undici-fetch.ts"],
])("%s exports the names that exports.txt lists", (name, path) => {
  const block = textOf("test/package/exports.txt")
    .split("\n\n")
    .find((text) => text.startsWith(`${name}\n`));
  const listed = [...(block ?? "").matchAll(/^ {2}\w+ (\w+)$/gm)].map(([, listedName]) => listedName);
  expect(exportsOf(path).sort()).toEqual(listed.sort());
});
