import path from "node:path";
import ts from "typescript";
import { beforeAll, expect, test } from "vitest";
import { changed, type Document, generate } from "../helpers/generated-module.js";
import { repository } from "../helpers/repository.js";

const lines = "Language of the captions.\n\nAs in BCP 47:\n- `de`\n- `en-GB`";
const document = changed(({ paths, components: { schemas } }) => {
  const locale = { type: "string", title: "Locale", description: lines, default: "en" };
  schemas.CreateScreenshotsRequest.properties.locale = locale;
  for (const item of Object.values<Document>(paths)) {
    for (const operation of Object.values<Document>(item)) operation.deprecated = true;
  }
  schemas.CreateScreenshotsRequest.properties.count.deprecated = true;
  schemas.CreateAppRequest.properties.extraContext.deprecated = true;
  schemas.App.properties.artworkUrl.deprecated = true;
  schemas.Credits.properties.remaining.deprecated = true;
  const parameters = ["tone", "limit"].map((name) => {
    return { name, in: "query", deprecated: name === "tone", schema: { type: "string" } };
  });
  paths["/public/v1/further"] = { get: { parameters, responses: {} } };
});

/** What a user types; an editor shows something of each name after a mark. */
const code = `
import { type CreateAppParams, type CreateScreenshotsParams, type paths, ScreenshotSets } from "screenshot-sets";
const client = new ScreenshotSets();
export const form = (listing: CreateAppParams) => [listing./*1*/iosUrl, listing./*2*/extraContext];
const app = await client.apps.create({ iosUrl: "https://apps.apple.com/app/id1" });
const set = await client.screenshots./*3*/createAndWait({
  appId: app.appId, /*4*/device: "iphone-69", /*5*/captionLength: "short", /*6*/locale: "de",
});
export const countOf = (params: CreateScreenshotsParams) => params./*7*/count;
const job = await client.jobs.get(set.id);
console.log(app.name, app.artworkUrl, set.credits./*8*/remaining, set.credits.cost, job.id);
export type All = keyof /*9*/paths;
type Further = paths["/public/v1/further"]["get"]["parameters"];
export const query = ({ query }: Further) => [query?.tone, query?.limit];
`;

const file = path.join(repository, "use.ts");
let editor: ts.LanguageService;

beforeAll(async () => {
  const texts = new Map([[file, code]]);
  for (const [name, text] of await generate(document)) {
    texts.set(path.join(repository, "src/generated", name), text);
  }
  const { config } = ts.readConfigFile(path.join(repository, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, repository);
  const readFile = (name: string) => texts.get(name) ?? ts.sys.readFile(name);
  editor = ts.createLanguageService({
    readFile,
    fileExists: (name) => texts.has(name) || ts.sys.fileExists(name),
    directoryExists: ts.sys.directoryExists,
    getCompilationSettings: () => options,
    getCurrentDirectory: () => repository,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot(name) {
      const text = readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
  });
});

/** What the editor shows of the name after a mark. */
function hover(mark: number) {
  const { documentation, tags = [] } =
    editor.getQuickInfoAtPosition(file, code.indexOf(`/*${mark}*/`) + 5) ?? {};
  return {
    text: ts.displayPartsToString(documentation),
    tags: new Map(tags.map(({ name, text }) => [name, ts.displayPartsToString(text)])),
  };
}

test("an editor shows as text what the document says of a parameter or a field, and its default", () => {
  expect(hover(1).text).toBe("App Store URL.");
  expect(hover(2).text).toBe("Free-text guidance to seed the generation, at most 2000 characters.");
  expect(hover(4).text).toBe("The device that the screenshots are planned for.");
  expect(hover(5)).toEqual({ text: "Length of the captions.", tags: new Map([["default", "short"]]) });
  expect(hover(6)).toEqual({ text: `Locale\n\n${lines}`, tags: new Map([["default", "en"]]) });
  expect(hover(7).text).toBe("Number of slides, 1 to 10. Ignored when `narrativeId` is set.");
  expect(hover(8).text).toBe("Credits left in the monthly allowance after the charge.");
});

test("an editor shows how to create a set and wait for it, and what `paths` is", () => {
  expect(hover(3).tags.get("example")).toContain("client.screenshots.createAndWait({");
  expect(hover(9).text).toMatch(/^The service's operations by path, /);
});

test("an editor strikes through what the document deprecates", () => {
  expect(editor.getSemanticDiagnostics(file)).toEqual([]);
  const struckThrough = editor.getSuggestionDiagnostics(file).filter((one) => one.reportsDeprecated);
  expect(struckThrough.map(({ start, length }) => code.slice(start, start + length))).toEqual(
    "extraContext create createAndWait count get artworkUrl remaining tone".split(" "),
  );
}, 60_000);
