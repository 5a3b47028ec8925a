import { writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { createConsumer } from "../helpers/consumer.js";

// What users see of the types when they point at a name, and in the declarations that compilers make of their code.

const { tarball, files } = inject("packed");
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

const program = `
import { type CreateScreenshotsParams, ScreenshotSets } from "screenshot-sets";
declare const client: ScreenshotSets;
declare const given: CreateScreenshotsParams;
export const app = await client.apps.create({ iosUrl: "https://apps.apple.com/app/id1" });
export const accepted = await client.screenshots.create(given);
export const credits = accepted.credits;
export const set = await client.screenshots.createAndWait(given);
export const waiting = client.waitForJob("job_1");
export const job = await client.waitForJob("job_1");
export const jobs = [job];
export const seen = await client.jobs.get("job_1");
export const changes = client.watchJob("job_1");
export const device = given.device;
export const result = job.result;
export const resultDevice = job.result.device;
export const mayBeOther = null as unknown as string extends typeof resultDevice ? true : false;
export const slides = job.result.slides;
export const both = { job, device };
export const failed = seen.status === "failed" ? seen : undefined;
`;

/** @param resultDevice the type of a result's device, which a document may leave open */
const namesWith = (resultDevice: string): [name: string, type: string][] => [
  ["app", "App"],
  ["accepted", "AcceptedJob"],
  ["credits", "Credits"],
  ["set", "PlannedSet"],
  ["waiting", "Promise<SucceededJob>"],
  ["job", "SucceededJob"],
  ["jobs", "SucceededJob[]"],
  ["seen", "Job"],
  ["changes", "AsyncIterable<Job>"],
  ["device", "Device"],
  ["result", "JobResult"],
  ["resultDevice", resultDevice],
  ["failed", "FailedJob | undefined"],
];

test("types are shown by their names, where one points at them and in declarations", () => {
  const { shown, problems, declarations } = serviceFor(program);
  const names = namesWith(shown("mayBeOther").endsWith("true") ? "string" : "Device");
  expect(problems).toEqual([]);
  expect(names.map(([name]) => shown(name))).toEqual(names.map(([name, type]) => `const ${name}: ${type}`));
  const written = declarations.replaceAll(/import\("screenshot-sets"\)\./g, "").replaceAll(/\s+/g, " ");
  for (const [name, type] of names) expect(written).toContain(`export declare const ${name}: ${type};`);
  expect(written).toContain("const both: { job: SucceededJob; device: Device; };");
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
// @ts-expect-error one of the two has to be there
await client.apps.create({ iosUrl: undefined, androidUrl: undefined });
`);
  expect(problems).toEqual([]);
});

test("what is said of types cites the OpenAPI document, which users have", () => {
  const declarations = files.filter((path) => /\.d\.c?ts$/.test(path));
  expect(declarations.length).toBeGreaterThan(0);
  const texts = declarations.map((path) => ts.sys.readFile(join(project.installed, path)));
  for (const text of texts) expect(text).not.toMatch(/section \d/i);
  const all = texts.join("\n");
  for (const operation of [
    "POST /public/v1/apps",
    "POST /public/v1/screenshots",
    "GET /public/v1/jobs/{id}",
  ]) {
    expect(all).toContain(operation);
  }
  expect(all).toMatch(/A wait ignores it/);
});
