import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { documentText } from "../../scripts/vet/parse-document.js";
import { changed, exampleDocument, generate } from "../helpers/generated-module.js";
import { repository } from "../helpers/repository.js";
import { documentIn, everyValue, type Form } from "./draw-document.js";
import { workingCopy } from "./working-copy.js";

test("regenerating leaves no diff", async () => {
  const tsx = path.join(repository, "node_modules", "tsx", "dist", "cli.mjs");
  const run = promisify(execFile)(process.execPath, [tsx, "scripts/generate.ts", "--check"], {
    cwd: repository,
  });
  await expect(run).resolves.toEqual({ stdout: "", stderr: "" });
}, 60_000);

test("the check reports each file that differs, and writes nothing; generating mends them all", async () => {
  const copy = workingCopy();
  const right = copy.files();
  copy.write("openapi.json", JSON.stringify(exampleDocument()));
  copy.write("src/generated/operations.ts", "");
  copy.remove("src/generated/openapi.ts");
  copy.write("src/generated/left-over.ts", "");
  copy.write(".changeset/openapi-0123456789ab.md", "");
  const before = copy.files();

  expect(await copy.run(["--check"])).toEqual({
    exitCode: 1,
    out: [],
    err: [
      "src/generated/openapi.ts is missing",
      "src/generated/operations.ts is not what openapi.json asks for",
      "openapi.json is not what openapi.json asks for",
      ".changeset/openapi-0123456789ab.md is left over",
      "src/generated/left-over.ts is left over",
    ],
  });
  expect(copy.files()).toEqual(before);

  expect(await copy.run([])).toMatchObject({ exitCode: 0, err: [] });
  expect(copy.files()).toEqual(right);
  expect(await copy.run(["--check"])).toEqual({ exitCode: 0, out: [], err: [] });
}, 60_000);

test("a document in another form is taken in, and touches only what is generated, README's facts among it", async () => {
  const copy = workingCopy();
  const before = copy.files();
  const [drawn] = everyValue();
  const plain = { body: "own", composed: "whole", rule: "stated", place: "referred", urls: "text" } as const;
  const form = { ...(drawn as Form), ...plain, pattern: "(?i)^HTTPS://", answerRules: "foreign" } as const;

  const run = await copy.run(["--from", copy.documentFile(documentIn(form))]);

  // The command has compiled the SDK.
  expect([run, form]).toMatchObject([{ exitCode: 0, err: [] }, {}]);
  // Patterns that only the service checks are named, and none of an answer.
  expect(run.out.filter((line) => line.startsWith("unchecked: "))).toEqual(
    ["androidUrl", "iosUrl"].map(
      (name) =>
        `unchecked: the pattern of \`${name}\` of \`apps.create\` is not surely one of JavaScript, so only the service checks it`,
    ),
  );
  const after = copy.files();
  const touched = [...new Set([...before.keys(), ...after.keys()])].filter(
    (file) => before.get(file) !== after.get(file),
  );
  expect(
    touched.filter(
      (file) => !/^(openapi\.json|README\.md|src\/generated\/|\.changeset\/openapi-)/.test(file),
    ),
  ).toEqual([]);
  expect(await copy.run(["--check"])).toEqual({ exitCode: 0, out: [], err: [] });
}, 120_000);

test("the canonical form has every key in its place", () => {
  const text = documentText({ b: [2, 1], "10": {}, "2": [], a: { d: "é", c: null } });
  expect(text).toBe(
    '{\n  "2": [],\n  "10": {},\n  "a": {\n    "c": null,\n    "d": "é"\n  },\n  "b": [\n    2,\n    1\n  ]\n}\n',
  );
});

test("another operation at the job's path keeps the parameters that the path declares", async () => {
  const document = changed(({ paths }) => {
    const { "/public/v1/jobs/{id}": item } = paths;
    const [id] = item.get.parameters;
    delete item.get.parameters;
    item.parameters = [
      { ...id, name: "jobId" },
      { name: "force", in: "query", schema: { type: "boolean" } },
    ];
    item.delete = { operationId: "cancelJob", responses: { 204: { description: "Gone." } } };
    delete paths["/public/v1/jobs/{id}"];
    paths["/public/v1/jobs/{jobId}"] = item;
  });
  const types = (await generate(document)).get("openapi.ts");
  expect(types).toMatch(
    /delete: \{\s+parameters: \{\s+query\?: \{\s+force\?: boolean;[^;]+;[^;]+;\s+path: \{[^;]+\bid: string;/,
  );
});
