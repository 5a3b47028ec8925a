import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { projects } from "../compat/projects.js";
import { readTable, workingTable } from "../compat/table.js";

test("the table of what works is what its last run has written, and all in it works", () => {
  expect(readTable()).toEqual(workingTable());
});

test("each project that is tried has a folder", () => {
  const folders = projects.map(
    ({ name }) => new URL(`../compat/projects/${name}/package.json`, import.meta.url),
  );
  expect(folders.filter((folder) => !existsSync(folder))).toEqual([]);
});
