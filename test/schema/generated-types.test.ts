import { expect, test } from "vitest";
import { generateFiles } from "../../scripts/emit/generate-files.js";
import { compileSdk } from "../helpers/compile-sdk.js";
import { changed, issuesOf, load, loadFiles } from "../helpers/generated-module.js";

const succeeded = {
  id: "job",
  status: "succeeded",
  result: { device: "iphone-69", slides: [{ title: "One" }] },
  error: null,
};

test("text of the document never becomes code", async () => {
  const evil = "*/ globalThis.evil = true; /* `\u0024{globalThis.evil = true}` \" ' \\ \u2028";
  const document = changed(({ info, paths, components: { schemas } }) => {
    info.description = evil;
    schemas.Device.enum.push(evil);
    schemas[evil.replaceAll("/", "")] = { type: "string", description: evil };
    schemas.App.properties[evil] = { type: "string", description: evil };
    paths[`/${evil}`] = { get: { operationId: evil, responses: { 204: { description: evil } } } };
  });
  // Such names are refused before; this is about what is written, should they get through.
  const files = await generateFiles(document);
  const { devices, operations } = loadFiles(files);
  expect(devices.at(-1)).toBe(evil);
  expect(operations.map(({ name }) => name)).toContain(evil);
  expect(globalThis).not.toHaveProperty("evil");
  expect(compileSdk(files)).toEqual([]);
}, 60_000);

test("a job that the document splits by its states is one job", async () => {
  const { getJob } = await load(
    changed(({ components: { schemas } }) => {
      const { id, result, error } = schemas.Job.properties;
      const none = { type: "null" };
      const inState = (status: string, fields: object) => ({
        type: "object",
        properties: { id, status: { const: status }, result: none, error: none, ...fields },
      });
      schemas.Job = {
        oneOf: [
          inState("queued", {}),
          inState("paused", {}),
          inState("succeeded", { result: { ...result, type: "object" } }),
          inState("failed", { error: { ...error, type: "object" } }),
        ],
      };
    }),
  );
  expect(issuesOf(getJob.answer, succeeded)).toEqual([]);
});
