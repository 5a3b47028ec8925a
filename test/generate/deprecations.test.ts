import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";
import { changed, type Document, generate } from "../helpers/generated-module.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** Code of a user, with a use of each method, parameter and field. */
const use = `
  import { type CreateAppParams, type CreateScreenshotsParams, type paths, ScreenshotSets } from "screenshot-sets";
  const client = new ScreenshotSets();
  const listing: CreateAppParams = { iosUrl: "https://apps.apple.com/app/id1" };
  const app = await client.apps.create({ ...listing, extraContext: listing.extraContext });
  const params: CreateScreenshotsParams = { appId: app.appId, device: "iphone-69" };
  const set = await client.screenshots.createAndWait({ ...params, count: params.count });
  const job = await client.jobs.get(set.id);
  console.log(app.name, app.artworkUrl, set.credits.remaining, set.credits.cost, job.id);
  type Further = paths["/public/v1/further"]["get"]["parameters"];
  export const query = ({ query }: Further) => [query?.locale, query?.limit];
`;

/** What an editor strikes through in that code. */
async function struckThrough(document: Document): Promise<string[]> {
  const file = path.join(repository, "use.ts");
  const texts = new Map([[file, use]]);
  for (const [name, text] of await generate(document)) {
    texts.set(path.join(repository, "src/generated", name), text);
  }
  const { config } = ts.readConfigFile(path.join(repository, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, repository);
  const readFile = (name: string) => texts.get(name) ?? ts.sys.readFile(name);
  const service = ts.createLanguageService({
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
  expect(service.getSemanticDiagnostics(file)).toEqual([]);
  return service
    .getSuggestionDiagnostics(file)
    .filter((one) => one.reportsDeprecated)
    .map(({ start, length }) => use.slice(start, start + length));
}

test("what the document deprecates is struck through in the editor", async () => {
  const document = changed(({ paths, components: { schemas } }) => {
    for (const item of Object.values<Document>(paths)) {
      for (const operation of Object.values<Document>(item)) operation.deprecated = true;
    }
    schemas.CreateScreenshotsRequest.properties.count.deprecated = true;
    schemas.CreateAppRequest.properties.extraContext.deprecated = true;
    schemas.App.properties.artworkUrl.deprecated = true;
    schemas.Credits.properties.remaining.deprecated = true;
    const parameters = ["locale", "limit"].map((name) => {
      return { name, in: "query", deprecated: name === "locale", schema: { type: "string" } };
    });
    paths["/public/v1/further"] = { get: { parameters, responses: {} } };
  });
  expect(await struckThrough(document)).toEqual([
    "create",
    "extraContext",
    "createAndWait",
    "count",
    "get",
    "artworkUrl",
    "remaining",
    "locale",
  ]);
}, 60_000);
