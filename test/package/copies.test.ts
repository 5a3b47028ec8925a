import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "tsup";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { createConsumer } from "../helpers/consumer.js";

const project = createConsumer(inject("packed").tarball);
afterAll(() => project.remove());

beforeAll(async () => {
  await build({
    entry: { minified: join(project.installed, "dist", "index.js") },
    outDir: project.folder,
    config: false,
    format: "esm",
    minify: true,
    silent: true,
    outExtension: () => ({ js: ".mjs" }),
  });
});

test("each error is an instance of each copy's class of its name and of those above, and of no other", () => {
  const file = join(project.folder, "program.mjs");
  writeFileSync(
    file,
    `import { createRequire } from "node:module";
    import * as esm from "screenshot-sets";
    import * as minified from "./minified.mjs";
    const cjs = createRequire(import.meta.url)("screenshot-sets");
    const copies = { esm, cjs, minified };
    const names = Object.keys(esm).filter((name) => name.endsWith("Error"));
    const issues = [], headers = new Headers(), job = { id: "job-1", status: "failed" };
    const made = (copy, name) => new copy[name]("words", { issues, headers, job, status: 418, attempts: 1 });
    const wrong = [];
    for (const [from, source] of Object.entries(copies)) for (const [to, target] of Object.entries(copies)) {
      for (const name of names) {
        const error = made(source, name);
        if (error.name !== name || String(error) !== name + ": words") wrong.push([from, name, String(error)]);
        for (const other of names) {
          const expected = made(esm, name).constructor === esm[other] || esm[name].prototype instanceof esm[other];
          if (error instanceof target[other] !== expected) wrong.push([from, name, to, other]);
        }
      }
    }
    console.log(JSON.stringify([names.length, wrong]));`,
  );
  const printed = execFileSync(process.execPath, [file], { cwd: project.folder, encoding: "utf8" });
  expect(JSON.parse(printed)).toEqual([19, []]);
});
