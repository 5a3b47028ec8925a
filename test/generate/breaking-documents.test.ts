import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { typeCheck } from "../../scripts/compile/type-check.js";
import { generateFiles } from "../../scripts/emit/generate-files.js";
import { parseDocument } from "../../scripts/vet/parse-document.js";
import { changed, type Document } from "../helpers/generated-module.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));

function drop(schema: Document, name: string): void {
  delete schema.properties[name];
  schema.required = schema.required.filter((required: string) => required !== name);
}

/** Changes after which the service can still be used, most of them breaking. */
const changes: [what: string, change: (schemas: Document) => void][] = [
  [
    "has fewer fields",
    ({ App, Job, CreateScreenshotsRequest }) => {
      for (const name of ["appId", "name", "category", "artworkUrl"]) drop(App, name);
      for (const name of ["device", "narrativeId"]) drop(CreateScreenshotsRequest, name);
      drop(Job, "error");
      drop(Job.properties.result, "device");
    },
  ],
  [
    "has fields of other types",
    ({ App, Credits, Device, Job }) => {
      for (const name of ["name", "category", "artworkUrl"]) App.properties[name].type = ["string", "null"];
      App.properties.appId.type = "integer";
      Credits.properties.cost.type = "string";
      drop(Credits, "remaining");
      Job.properties.error = { type: ["string", "null"] };
      delete Device.enum;
    },
  ],
  [
    "requires nothing of a set",
    ({ CreateScreenshotsRequest }) => {
      delete CreateScreenshotsRequest.required;
    },
  ],
  [
    "takes null for what may be left out",
    ({ CreateScreenshotsRequest: { properties } }) => {
      properties.count.type = ["integer", "null"];
      for (const name of ["captionLength", "captionStyle", "narrativeId"]) {
        properties[name] = { anyOf: [properties[name], { type: "null" }] };
      }
    },
  ],
];

test.each(changes)(
  "the SDK compiles for a document that %s, so that it can be applied",
  async (_, change) => {
    const document = changed(({ components }) => change(components.schemas));

    const modules = await generateFiles(parseDocument(JSON.stringify(document)));

    expect(() => typeCheck(repository, modules)).not.toThrow();
  },
  120_000,
);
