import { expect, test } from "vitest";
import { leftByHand } from "../../scripts/apply/left-by-hand.js";
import { normalise } from "../../scripts/normalise/normalise.js";
import { parseDocument } from "../../scripts/vet/parse-document.js";
import { changed, exampleDocument } from "../helpers/generated-module.js";
import { workingCopy } from "./working-copy.js";

test("the README says what a new document says, and `generate` names what is left for a person", async () => {
  const copy = workingCopy();
  const before = copy.read("README.md");
  const document = changed((own) => {
    own.servers = [{ url: "https://api.example.com/api/v2" }];
    const { paths, components } = own;
    const { schemas } = components;
    schemas.Credits.properties.cost.description = "Credits charged for this job (12).";
    paths["/public/v1/screenshots"].post.description = "Plans a set.";
    schemas.CreateAppRequest.properties.extraContext.maxLength = 1_500;
    const { properties } = schemas.CreateScreenshotsRequest;
    Object.assign(properties.count, { maximum: 8, default: 4 });
    delete properties.count.minimum;
    delete properties.narrativeId;
    properties.captionLength.enum.push("medium");
    properties.locale = { type: "string", enum: ["de|at", "en"] };
    properties.captionStyle.enum = ["aso-expert", "calm"];
    properties.captionLength["x-enum-deprecated"] = ["long"];
    schemas.Device.enum.push("a", "b", "c", "d", "e", "f", "g");
    schemas.Job.properties.status.enum.push("canceled");
  });

  const { exitCode, out } = await copy.run(["--from", copy.documentFile(document)]);

  expect(exitCode).toBe(0);
  expect(out.filter((line) => line.startsWith("to do: "))).toEqual([
    expect.stringContaining("job that is `canceled`"),
    "to do: src/cli/create-params.ts: a flag for `locale`",
    "to do: README.md: what `locale` is",
    expect.stringMatching(
      /^to do: README\.md, .*src\/options\/options\.ts: the base URL ends in `\/api\/v2`, and this has `\/api\/v1`$/,
    ),
    "to do: README.md: this says that the document lacks values of `captionStyle`, which it has now",
  ]);
  const after = copy.read("README.md");
  expect(after.split("\n").filter((line) => !before.split("\n").includes(line))).toEqual([
    "| `extraContext` | guidance for the service when it reads the listing | at most 1500 characters | none |",
    "| `device` | the device | 13 values; required | |",
    "| `count` | how many slides; ignored with a `narrativeId` | at most 8 | 4 |",
    "| `captionStyle` | the voice of the captions; other values are not documented | `aso-expert`, `calm`, or any other | `aso-expert` |",
    "| `captionLength` | the length of the captions | `short`, `long` (deprecated), `medium` | `short` |",
    "| `locale` | | `de?at`, `en` | none |",
    expect.stringMatching(/^A set costs 12 credits \(`setCost`\)/),
    "Job job_1 was accepted: 12 credits were charged, 88 are left",
    "12 credits were charged, 88 are left.",
  ]);
  expect(after).not.toContain("| `narrativeId` |");
  expect(await copy.run(["--check"])).toMatchObject({ exitCode: 0 });
}, 120_000);

test.each([
  ["https://api.example.com/v1", "ends in `/v1`"],
  ["https://api.example.com/api/v2", "ends in `/api/v2`"],
  ["https://api.example.com", "has no path"],
])("a base URL is looked for by its whole path: %s", (url, told) => {
  const released = parseDocument(JSON.stringify(exampleDocument()));
  const document = parseDocument(JSON.stringify(changed((own) => (own.servers = [{ url }]))));
  const texts = {
    "a.md": "It ends in `/api/v1`.",
    "b.ts": `fetch("https://host.test/api/v1/public/v1/apps")`,
    "c.yml": "URL: http://mock:4010/api/v1",
    "d.md":
      'https://api.example.com, https://api.example.com/v1, /api/v2 and client.request("GET", "/public/v1/apps")',
    "e.md": "/api/v1/other, /my/api/v1 and /api/v10",
  };
  const lines = leftByHand(
    { document, normalised: normalise(document), released },
    new Map(Object.entries(texts)),
  );
  expect(lines).toContain(`a.md, b.ts, c.yml: the base URL ${told}, and this has \`/api/v1\``);
});
