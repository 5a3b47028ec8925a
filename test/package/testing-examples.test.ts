import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, inject, test } from "vitest";
import { createConsumer } from "../helpers/consumer.js";

// Every folder of `examples/testing` is a project of its own, whose tests are run on the packed package as its user
// would run them: with `npm test`.

const examples = fileURLToPath(new URL("../../examples/testing", import.meta.url));
const runners = ["vitest", "jest"];
const project = createConsumer(inject("packed").tarball);
project.link(...runners, ...runners.map((name) => join(".bin", name)));
afterAll(() => project.remove());

/** What each runner says when all tests of the example have passed. */
const allPassed = /Tests +6 passed \(6\)|Tests: +6 passed, 6 total|^(#|ℹ) pass 6\n(.*\n)*(#|ℹ) fail 0\n/m;

test.each(readdirSync(examples))("the example for %s passes", (name) => {
  const folder = join(project.folder, name);
  cpSync(join(examples, name), folder, { recursive: true });
  symlinkSync(join(project.folder, "node_modules"), join(folder, "node_modules"), "junction");

  // As in a shell: the variables of the runner around it would make another run of these.
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, NO_COLOR: "1" };
  const { status, stdout, stderr } = spawnSync("npm", ["test", "--silent"], {
    cwd: folder,
    encoding: "utf8",
    env,
    // A runner whose test failed may wait for what that test left open.
    timeout: 100_000,
  });

  expect(stdout + stderr).toMatch(allPassed);
  expect(status).toBe(0);
});
