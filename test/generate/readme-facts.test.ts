import { expect, test } from "vitest";
import { changed } from "../helpers/generated-module.js";
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
    schemas.Job.properties.status.enum.push("canceled");
  });

  const { exitCode, out } = await copy.run(["--from", copy.documentFile(document)]);

  expect(exitCode).toBe(0);
  expect(out.filter((line) => line.startsWith("to do: "))).toEqual([
    expect.stringContaining("job that is `canceled`"),
    "to do: src/cli/create-params.ts: a flag for `locale`",
    "to do: README.md: what `locale` is",
    expect.stringContaining("the base URL ends in `/api/v2`"),
  ]);
  const after = copy.read("README.md");
  expect(after.split("\n").filter((line) => !before.split("\n").includes(line))).toEqual([
    "| `extraContext` | guidance for the service when it reads the listing | at most 1500 characters | none |",
    "| `count` | how many slides; ignored with a `narrativeId` | at most 8 | 4 |",
    "| `captionLength` | the length of the captions | `short`, `long`, `medium` | `short` |",
    "| `locale` | | `de?at`, `en` | none |",
    expect.stringMatching(/^A set costs 12 credits \(`setCost`\)/),
    "Job job_1 was accepted: 12 credits were charged, 88 are left",
    "12 credits were charged, 88 are left.",
  ]);
  expect(after).not.toContain("| `narrativeId` |");
  expect(await copy.run(["--check"])).toMatchObject({ exitCode: 0 });
}, 120_000);
