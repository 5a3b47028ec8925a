import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { bumpFor } from "../../scripts/classify/changeset.js";
import { changed, type Document, exampleDocument } from "../helpers/generated-module.js";
import { type Run, type WorkingCopy, workingCopy } from "./working-copy.js";

const changesets = (copy: WorkingCopy) =>
  [...copy.files().keys()].filter((file) => file.startsWith(".changeset/openapi-"));

const withStatus = changed(({ components }) =>
  components.schemas.Job.properties.status.enum.push("canceled"),
);
const reworded = changed(({ info }) => (info.description = "Run `evil` <script>alert(1)</script>"));

async function pull(copy: WorkingCopy, document: Document) {
  const run = await copy.run(["--from", copy.documentFile(document)]);
  expect(run).toMatchObject({ exitCode: 0, err: [] });
  return run;
}

/** A copy that took in a document with a further status of a job. */
const pulled = workingCopy(afterAll);
let firstRun: Run;

beforeAll(async () => {
  firstRun = await pull(pulled, withStatus);
}, 120_000);

test("a pull writes one changeset, and the same pull again changes nothing", async () => {
  const [file = "", ...others] = changesets(pulled);
  expect(others).toEqual([]);
  expect(firstRun.out).toEqual([
    "level: breaking",
    "breaking: `status` of the answer of `jobs.get` may also be `canceled`, and such a job has ended once it has an `error` or a `result`",
    "to do: a job that is `canceled` counts as ended once it has an `error` or a `result`: if that is not right, give it a row in the table of src/job-end.ts, and correct the changeset",
    "wrote src/generated/openapi.ts",
    "wrote src/generated/values.ts",
    `wrote ${file}`,
    "wrote openapi.json",
  ]);
  expect(pulled.read(file)).toBe(`---
"screenshot-sets": minor
---

Follow the service's OpenAPI document. Code written for the earlier one may break:

- \`status\` of the answer of \`jobs.get\` may also be \`canceled\`, and such a job has ended once it has an \`error\` or a \`result\`
`);
  const after = pulled.files();
  expect((await pull(pulled, withStatus)).out).toEqual(firstRun.out.slice(0, 3));
  expect(pulled.files()).toEqual(after);
  expect(await pulled.run(["--check"])).toEqual({ exitCode: 0, out: [], err: [] });
}, 120_000);

test("a later document has a changeset of its own, the released one has none, and none holds prose", async () => {
  const copy = workingCopy();
  const before = copy.files();
  // By hand, which is as good as a pull.
  copy.write("openapi.json", JSON.stringify(reworded));
  expect(await copy.run([])).toMatchObject({ exitCode: 0, err: [] });
  expect(await copy.run(["--check"])).toMatchObject({ exitCode: 0 });
  const [first = ""] = changesets(copy);
  expect(copy.read(first)).toBe(
    '---\n"screenshot-sets": patch\n---\n\nFollow the service\'s OpenAPI document, of which the descriptions or the form changed.\n',
  );

  const withFields = changed(({ components: { schemas } }) => {
    schemas.App.properties.locale = { type: "string", description: "`rm -rf` <b>bold</b>" };
    schemas.CreateScreenshotsRequest.required = ["appId", "device"];
    schemas.CreateAppRequest.properties.extraContext.maxLength = 4000;
    schemas.App.properties["` [x](https://evil.test) <img src=x>\n## 9.9.9"] = { type: "string" };
  });
  await pull(copy, withFields);
  // Without what would mean something in the changelog.
  const plainName = "??[x]?https://evil.test???img?src?x?????9.9.9";
  expect(changesets(copy).map(copy.read)).toEqual([
    `---
"screenshot-sets": patch
---

Follow the service's OpenAPI document:

- \`extraContext\` of \`apps.create\` is at most \`4000\` characters long
- the answer of \`apps.create\` has \`${plainName}\` and \`locale\`
`,
  ]);

  await pull(copy, exampleDocument());
  expect(copy.files()).toEqual(before);
}, 120_000);

test("the check wants a changeset that promises enough, and takes it in other words", async () => {
  const copy = workingCopy(onTestFinished, pulled.root);
  const [file = ""] = changesets(copy);
  const written = copy.read(file);

  copy.write(file, written.replace("minor", "patch"));
  expect(await copy.run(["--check"])).toMatchObject({
    exitCode: 1,
    err: [`${file} is not what openapi.json asks for`],
  });
  copy.remove(file);
  expect(await copy.run(["--check"])).toMatchObject({ exitCode: 1, err: [`${file} is missing`] });

  const better = '---\n"screenshot-sets": major\n---\n\nPlan sets for the Vision Pro.\n';
  copy.write(file, better);
  expect(await copy.run(["--check"])).toMatchObject({ exitCode: 0 });
  await pull(copy, withStatus);
  expect(copy.read(file)).toBe(better);
}, 120_000);

test("a release makes the document the released one, so that nothing is left to announce", async () => {
  const copy = workingCopy(onTestFinished, pulled.root);
  for (const file of changesets(copy)) copy.remove(file);
  expect(await copy.run(["--check"])).toMatchObject({ exitCode: 1 });

  copy.write(".changeset/released-openapi.json", copy.read("openapi.json"));

  expect(await copy.run(["--check"])).toEqual({ exitCode: 0, out: [], err: [] });
}, 120_000);

test.each([
  ["no-released-document", (copy: WorkingCopy) => copy.remove(".changeset/released-openapi.json")],
  ["not-json", (copy: WorkingCopy) => copy.write(".changeset/released-openapi.json", "<<<<<<< HEAD")],
])("the check misses the released document, without which nothing can be rated: %s", async (code, lose) => {
  const copy = workingCopy();
  lose(copy);
  expect(await copy.run(["--check"])).toMatchObject({
    exitCode: 2,
    err: [expect.stringMatching(`^${code}: `)],
  });
});

test("below 1.0 a breaking change is minor and the rest patch; from then on semver has a bump for each", () => {
  const levels = ["breaking", "additive", "docs"] as const;
  expect(levels.map((level) => bumpFor(level, "0.9.12"))).toEqual(["minor", "patch", "patch"]);
  expect(levels.map((level) => bumpFor(level, "1.0.0"))).toEqual(["major", "minor", "patch"]);
});
