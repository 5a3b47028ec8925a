import { expect, test } from "vitest";
import { generateFiles } from "../scripts/emit/generate-files.js";
import { compileSdk } from "./helpers/compile-sdk.js";
import { changed, type Document, generate, issuesOf, load, loadFiles } from "./helpers/generated-module.js";

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
  expect(operations.at(-1)?.name).toBe(evil);
  expect(globalThis).not.toHaveProperty("evil");
  expect(compileSdk(files)).toEqual([]);
}, 60_000);

test("the SDK compiles whatever the document calls its components and however it splits a job", async () => {
  const document = changed((document) => {
    const { schemas, ...others } = document.components;
    const { id, result, error } = schemas.Job.properties;
    const none = { type: "null" };
    const inState = (status: string, fields: object) => ({
      type: "object",
      properties: { id, status: { const: status }, result: none, error: none, ...fields },
    });
    document.components = {
      ...others,
      schemas: { X0: schemas.App, X1: schemas.AcceptedJob, X2: schemas.Credits, Device: schemas.Device },
    };
    schemas.AcceptedJob.properties.credits.$ref = "#/components/schemas/X2";
    const json = (path: string, method: string) => document.paths[path][method];
    const answer = (operation: Document, status: number) =>
      operation.responses[status].content["application/json"];
    const body = (operation: Document) => operation.requestBody.content["application/json"];
    const [app, shots] = [json("/public/v1/apps", "post"), json("/public/v1/screenshots", "post")];
    body(app).schema = schemas.CreateAppRequest;
    body(shots).schema = schemas.CreateScreenshotsRequest;
    answer(app, 200).schema.$ref = "#/components/schemas/X0";
    answer(shots, 201).schema.$ref = "#/components/schemas/X1";
    answer(json("/public/v1/jobs/{id}", "get"), 200).schema = {
      oneOf: [
        inState("queued", {}),
        inState("running", {}),
        inState("paused", {}),
        inState("succeeded", { result: { ...result, type: "object" } }),
        inState("failed", { error: { ...error, type: "object" } }),
      ],
    };
  });
  const { getJob, jobStatuses } = await load(document);
  expect(issuesOf(getJob.answer, succeeded)).toEqual([]);
  expect(jobStatuses).toContain("paused");
  expect(compileSdk(await generate(document))).toEqual([]);
}, 60_000);
