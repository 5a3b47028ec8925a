import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "tsup";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { createConsumer } from "../helpers/consumer.js";

let project: ReturnType<typeof createConsumer>;

beforeAll(async () => {
  project = createConsumer(inject("packed").tarball);
  project.link("zod", "msw");
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

afterAll(() => project.remove());

/** Runs a program in a project that has the package, and gives back what it prints, as JSON. */
function evaluate(program: string): unknown {
  const file = join(project.folder, "program.mjs");
  writeFileSync(file, program);
  return JSON.parse(execFileSync(process.execPath, [file], { cwd: project.folder, encoding: "utf8" }));
}

const copies = `
  import { createRequire } from "node:module";
  import * as esm from "screenshot-sets";
  import * as minified from "./minified.mjs";
  const cjs = createRequire(import.meta.url)("screenshot-sets");
  const copies = { esm, cjs, minified };
  const names = Object.keys(esm).filter((name) => name.endsWith("Error"));`;

test("each error is an instance of each copy's class of its name and of those above, and of no other", () => {
  const verdicts = evaluate(`${copies}
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
    console.log(JSON.stringify([names.length, wrong]));`);
  expect(verdicts).toEqual([19, []]);
});

test("the client has its name in each copy, and the error that a call throws is one of any copy", () => {
  const verdicts = evaluate(`${copies}
    import { inspect } from "node:util";
    const fetch = async () => new Response("", { status: 402 });
    const verdicts = [];
    for (const { ScreenshotSets } of Object.values(copies)) {
      const client = new ScreenshotSets({ apiKey: "key", baseUrl: "https://example.com/api/v1", fetch });
      const error = await client.jobs.get("job-1").catch((thrown) => thrown);
      const shown = [ScreenshotSets.name, error.name, error.constructor.name, inspect(error).split(":")[0]];
      verdicts.push([shown.join(), ...Object.values(copies).map((copy) => error instanceof copy.PaymentRequiredError)]);
    }
    console.log(JSON.stringify(verdicts));`);
  const name = "PaymentRequiredError";
  expect(verdicts).toEqual(Array(3).fill([["ScreenshotSets", name, name, name].join(), true, true, true]));
});
