import { execFile } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Run, type WorkingCopy, workingCopy } from "../helpers/working-copy.js";
import { documentIn } from "./draw-document.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** The service's document in a form in which little is as in the example. */
const reformed = documentIn({
  ...{ version: "3.0.3", job: "union", null: "alternative", media: "application/vnd.sets+json; v=1" },
  ...{ place: "wrapped", required: "unlisted", rule: "in whole alternatives", values: "one by one" },
  ...{
    body: "own",
    composed: "of parts",
    defaults: "required",
    header: "own",
    numbers: "integer with a text's pattern",
    cost: "any",
  },
  ...{
    pattern: "(?i)^HTTPS://",
    slides: "described",
    kinds: "none",
    urls: "or null",
    count: "without a default",
  },
  ...{ answerRules: "foreign", data: "external", query: "json", status: 202, errors: "described" },
  ...{ more: "operations", names: "odd", operationIds: "others'", paths: "in a server too", fault: "" },
});

let copy: WorkingCopy;
let before: Map<string, string>;
let run: Run;

beforeAll(async () => {
  copy = workingCopy();
  before = copy.files();
  run = await copy.run(["--from", copy.documentFile(reformed)]);
  // The command has compiled the SDK.
  expect(run).toMatchObject({ exitCode: 0, err: [] });
}, 120_000);

afterAll(() => copy.dispose());

test("a document in another form is taken in, and touches only what is generated", async () => {
  expect(await copy.run(["--check"])).toEqual({ exitCode: 0, out: [], err: [] });
  const after = copy.files();
  const files = [...new Set([...before.keys(), ...after.keys()])];
  const touched = files.filter((file) => before.get(file) !== after.get(file));
  expect(touched).toEqual([
    "openapi.json",
    ...["openapi", "operations", "samples", "values"].map((name) => `src/generated/${name}.ts`),
    expect.stringMatching(/^\.changeset\/openapi-/),
  ]);
});

test("the command names the patterns in bodies that only the service checks, and none of an answer", () => {
  const unchecked = run.out.filter((line) => line.startsWith("unchecked: "));
  expect(unchecked).toEqual(
    ["androidUrl", "iosUrl"].map(
      (name) =>
        `unchecked: \`POST /public/v1/apps\` request \`${name} pattern\` is not surely a pattern of JavaScript, so only the service checks it`,
    ),
  );
});

test("the SDK of a document in another form passes the client's tests as they are", async () => {
  const vitest = path.join(repository, "node_modules/vitest/vitest.mjs");
  const config = path.join(copy.root, "vitest.config.mjs");
  const aliases = {
    "screenshot-sets/mock/msw": "src/mock/msw.ts",
    "screenshot-sets/mock": "src/mock/index.ts",
    "screenshot-sets": "src/index.ts",
    // Helpers ask it what the document says.
    "../../src/generated/operations.js": "src/generated/operations.ts",
  };
  const alias = Object.fromEntries(
    Object.entries(aliases).map(([name, file]) => [name, path.join(copy.root, file)]),
  );
  const options = { root: repository, resolve: { alias }, test: { include: ["test/client.test.ts"] } };
  copy.write("vitest.config.mjs", `export default ${JSON.stringify(options)};`);
  const { PATH, HOME } = process.env;
  const command = [vitest, "run", "--config", config, "--reporter", "json"];
  const { stdout } = await promisify(execFile)(process.execPath, command, {
    cwd: repository,
    env: { PATH, HOME },
  });
  expect(JSON.parse(stdout)).toMatchObject({ numFailedTests: 0 });
  expect(JSON.parse(stdout).numPassedTests).toBeGreaterThan(10);
}, 300_000);
