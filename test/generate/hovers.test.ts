import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { beforeAll, expect, test } from "vitest";
import { changed, generate } from "../helpers/generated-module.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));

const lines = "Language of the captions.\n\nAs in BCP 47:\n- `de`\n- `en-GB`";
const document = changed(({ components: { schemas } }) => {
  const locale = { type: "string", title: "Locale", description: lines, default: "en" };
  schemas.CreateScreenshotsRequest.properties.locale = locale;
});

/** What a user types; an editor shows something of each name after a mark. */
const code = `
import { type CreateAppParams, type paths, ScreenshotSets } from "screenshot-sets";
const client = new ScreenshotSets();
export const form = (listing: CreateAppParams) => [listing./*1*/iosUrl, listing./*2*/extraContext];
const job = await client.screenshots./*3*/createAndWait({
  appId: "app_1", /*4*/device: "iphone-69", /*5*/captionLength: "short", /*6*/count: 3, /*7*/locale: "de",
});
job.credits./*8*/remaining;
export type All = keyof /*9*/paths;
`;

let shown: ReturnType<typeof hover>[];

beforeAll(async () => {
  const file = path.join(repository, "use.ts");
  const texts = new Map([[file, code]]);
  for (const [name, text] of await generate(document)) {
    texts.set(path.join(repository, "src/generated", name), text);
  }
  const { config } = ts.readConfigFile(path.join(repository, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, repository);
  const service = ts.createLanguageService({
    directoryExists: ts.sys.directoryExists,
    getCompilationSettings: () => options,
    getCurrentDirectory: () => repository,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      const text = texts.get(name) ?? ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    fileExists: (name) => texts.has(name) || ts.sys.fileExists(name),
    readFile: (name) => texts.get(name) ?? ts.sys.readFile(name),
  });
  shown = Array.from(code.matchAll(/\/\*\d\*\//g), ({ index }) => hover(service, file, index + 5));
});

/** What an editor shows of the name at a place. */
function hover(service: ts.LanguageService, file: string, place: number) {
  const { documentation, tags = [] } = service.getQuickInfoAtPosition(file, place) ?? {};
  return {
    text: ts.displayPartsToString(documentation),
    tags: new Map(tags.map(({ name, text }) => [name, ts.displayPartsToString(text)])),
  };
}

test("an editor shows as text what the document says of a parameter or a field, and its default", () => {
  const [iosUrl, extraContext, , device, captionLength, count, locale, remaining] = shown;
  expect(iosUrl?.text).toBe("App Store URL.");
  expect(extraContext?.text).toBe("Free-text guidance to seed the generation, at most 2000 characters.");
  expect(device?.text).toBe("The device that the screenshots are planned for.");
  expect(captionLength).toEqual({ text: "Length of the captions.", tags: new Map([["default", "short"]]) });
  expect(count?.text).toBe("Number of slides, 1 to 10. Ignored when `narrativeId` is set.");
  expect(locale).toEqual({ text: `Locale\n\n${lines}`, tags: new Map([["default", "en"]]) });
  expect(remaining?.text).toBe("Credits left in the monthly allowance after the charge.");
});

test("an editor shows how to create a set and wait for it, and what `paths` is", () => {
  expect(shown[2]?.tags.get("example")).toContain("client.screenshots.createAndWait({");
  expect(shown[8]?.text).toMatch(/^The service's operations by path, /);
});
