import { expect, test } from "vitest";
import { generateFiles } from "../../scripts/emit/generate-files.js";
import { changed, type Document, loadFiles } from "../helpers/generated-module.js";
import { compile } from "./compile.js";
import { workingCopy } from "./working-copy.js";

function drop(schema: Document, name: string): void {
  delete schema.properties[name];
  schema.required = schema.required.filter((required: string) => required !== name);
}

/** Changes after which the service can still be used. */
const changes: [what: string, change: (schemas: Document) => void][] = [
  [
    "has fewer fields, and requires none of a set",
    ({ App, Job, CreateScreenshotsRequest }) => {
      for (const name of ["name", "category", "artworkUrl"]) drop(App, name);
      for (const name of ["device", "narrativeId"]) drop(CreateScreenshotsRequest, name);
      delete CreateScreenshotsRequest.required;
      drop(Job, "error");
      drop(Job.properties.result, "device");
    },
  ],
  [
    "has fields of other types, and takes null",
    ({ App, Credits, Device, Job, CreateScreenshotsRequest: { properties } }) => {
      for (const name of ["name", "category", "artworkUrl"]) App.properties[name].type = ["string", "null"];
      Credits.properties.cost.type = "string";
      drop(Credits, "remaining");
      Job.properties.error = { type: ["string", "null"] };
      delete Device.enum;
      properties.count.type = ["integer", "null"];
      for (const name of ["captionLength", "captionStyle", "narrativeId"]) {
        properties[name] = { anyOf: [properties[name], { type: "null" }] };
      }
    },
  ],
];

test.each(changes)(
  "a document that %s is applied, and said to be breaking",
  async (_, change) => {
    const copy = workingCopy();
    const document = changed(({ components }) => change(components.schemas));

    const run = await copy.run(["--from", copy.documentFile(document)]);

    // The command has compiled the SDK.
    expect(run).toMatchObject({ exitCode: 0, err: [] });
    expect(run.out[0]).toBe("level: breaking");
  },
  120_000,
);

test("where the SDK does not compile, the file and the line are named", async () => {
  const copy = workingCopy();
  copy.write(
    "src/text/nearest-name.ts",
    `${copy.read("src/text/nearest-name.ts")}export const half: string = 0.5;\n`,
  );
  const document = changed(({ components }) => components.schemas.Device.enum.push("vision-pro"));

  const { exitCode, err } = await copy.run(["--from", copy.documentFile(document)]);

  const lines = copy.read("src/text/nearest-name.ts").trimEnd().split("\n").length;
  const words = `does-not-compile: Failed to compile the SDK: src/text/nearest-name.ts:${lines} does not compile with the document`;
  expect([exitCode, err]).toEqual([2, [expect.stringContaining(words)]]);
}, 120_000);

test("text of the document never becomes code", async () => {
  const evil = "*/ globalThis.evil = true; /* `\u0024{globalThis.evil = true}` \" ' \\ \u2028";
  const document = changed(({ info, paths, components: { schemas } }) => {
    info.description = evil;
    schemas.Device.enum.push(evil);
    schemas[evil.replaceAll("/", "")] = { type: "string", description: evil };
    schemas.App.properties[evil] = { type: "string", description: evil };
    paths["/further"] = { get: { summary: evil, responses: { 204: { description: evil } } } };
  });
  const files = await generateFiles(document);
  expect(loadFiles(files).devices.at(-1)).toBe(evil);
  expect(globalThis).not.toHaveProperty("evil");
  const types = new Map([["/types/openapi.ts", String(files.get("openapi.ts"))]]);
  expect(compile("/types/openapi.ts", types)).toEqual([]);
});
