import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { declarationProblems } from "../compat/type-check.js";
import { createConsumer } from "../helpers/consumer.js";

// What users see of the types when they point at a name, and in the declarations that compilers make of their code.

const { tarball } = inject("packed");
const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  declaration: true,
  types: [],
};

let project: ReturnType<typeof createConsumer>;
beforeAll(() => {
  project = createConsumer(tarball);
});
afterAll(() => project.remove());

/** The compiler's view of a program in the consumer's project. */
function serviceFor(text: string) {
  const file = join(project.folder, "program.mts");
  writeFileSync(file, text);
  const { useCaseSensitiveFileNames, ...system } = ts.sys;
  const service = ts.createLanguageService({
    ...system,
    useCaseSensitiveFileNames: () => useCaseSensitiveFileNames,
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => ts.ScriptSnapshot.fromString(ts.sys.readFile(name) ?? ""),
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
  const shown = (name: string) => {
    const place = text.indexOf(`const ${name} `) + "const ".length;
    return ts.displayPartsToString(service.getQuickInfoAtPosition(file, place)?.displayParts);
  };
  const problems = service.getSemanticDiagnostics(file).map(({ messageText }) => messageText);
  const declarations = service
    .getEmitOutput(file, true, true)
    .outputFiles.map((one) => one.text)
    .join("");
  return { shown, problems, declarations };
}

// Above each export of that program stands the type that it is to have.
const inferred = readFileSync("test/compat/suite/inferred.ts", "utf8");

test("types are shown by their names, where one points at them and in declarations", () => {
  const { shown, problems, declarations } = serviceFor(inferred);
  const meant = [...inferred.matchAll(/\/\*\* (.+) \*\/\nexport const (\w+)/g)]
    // An open object is shown by its fields.
    .filter(([, type]) => !type?.includes("Slide"))
    .map(([, type, name = ""]) => ({ name, type: `const ${name}: ${type}` }));
  expect(problems).toEqual([]);
  expect(meant.length).toBeGreaterThan(10);
  expect(meant.map(({ name }) => shown(name).replaceAll(/\s+/g, " "))).toEqual(meant.map(({ type }) => type));
  expect(declarationProblems(declarations)).toEqual([]);
});

test("a field that may be left out takes undefined", () => {
  const { problems } = serviceFor(`
import { type CreateScreenshotsParams, ScreenshotSets } from "screenshot-sets";
declare const client: ScreenshotSets;
declare const maybe: string | undefined;
const params: CreateScreenshotsParams = { appId: "a", device: "ipad-pro", count: undefined, narrativeId: maybe };
await client.apps.create({ iosUrl: "https://apps.apple.com/app/id1", androidUrl: maybe, extraContext: maybe });
await client.screenshots.create({ ...params, captionLength: undefined }, { signal: undefined, headers: undefined });
const body = { appId: "a", device: "ipad-pro", count: 1, captionStyle: maybe } as const;
await client.request("POST", "/public/v1/screenshots", { body });
await client.apps.create({ iosUrl: maybe, androidUrl: maybe });
// @ts-expect-error one of the two has to be there
await client.apps.create({ extraContext: maybe });
`);
  expect(problems).toEqual([]);
});

test("a listener compiles with a library that does not know `await using`", () => {
  const { problems } = serviceFor(`
import { createMock, type Listener } from "screenshot-sets/mock";
const listener: Listener = await createMock().listen();
await listener.close();
// @ts-expect-error this library has no such symbol
listener[Symbol.asyncDispose];
`);
  expect(problems).toEqual([]);
});
