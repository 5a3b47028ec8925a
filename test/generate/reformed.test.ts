import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { type WorkingCopy, workingCopy } from "../helpers/working-copy.js";
import { reformed, reforms } from "./reformed-documents.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const vitest = path.join(repository, "node_modules/vitest/vitest.mjs");
const copies: WorkingCopy[] = [];

/** The copies whose SDK does something else than the repository's, by what their documents are. */
const others = new Map<string, WorkingCopy>();

// The copies are many files, which a busy machine takes its time to remove.
afterAll(() => {
  for (const copy of copies) copy.dispose();
}, 120_000);

function freshCopy(): WorkingCopy {
  const copy = workingCopy();
  copies.push(copy);
  return copy;
}

const runTime = ["operations", "samples", "values"].map((name) => `src/generated/${name}.ts`);

describe("a document follows that", () => {
  test.each(reforms)(
    "%s",
    async (what, reform) => {
      const copy = freshCopy();
      const before = copy.files();

      const run = await copy.run(["--from", copy.documentFile(reformed(reform))]);

      // The command compiles the SDK, should another one come out.
      expect(run).toMatchObject({ exitCode: 0, err: [] });
      expect(await copy.run(["--check"])).toEqual({ exitCode: 0, out: [], err: [] });
      const after = copy.files();
      const touched = [...new Set([...before.keys(), ...after.keys()])].filter(
        (file) => before.get(file) !== after.get(file),
      );
      expect(
        touched.filter((file) => !/^openapi\.json$|^src\/generated\/|^\.changeset\/openapi-/.test(file)),
      ).toEqual([]);
      if (runTime.some((file) => touched.includes(file))) others.set(what, copy);
    },
    120_000,
  );
});

test("each SDK that does something else passes the client's tests as they are", () => {
  expect(others.size).toBeGreaterThanOrEqual(4);
  const { numPassedTests, numFailedTests } = runClientTests();
  expect(numFailedTests).toBe(0);
  expect(numPassedTests).toBeGreaterThan(15 * others.size);
}, 300_000);

/** Runs the client's tests once on the source of each. */
function runClientTests(): { numPassedTests: number; numFailedTests: number } {
  const folder = mkdtempSync(path.join(tmpdir(), "screenshot-sets-"));
  try {
    const config = path.join(folder, "vitest.config.mjs");
    const results = path.join(folder, "results.json");
    const projects = [...others].map(([name, { root }]) => ({
      root: repository,
      resolve: {
        alias: {
          "screenshot-sets/mock/msw": path.join(root, "src/mock/msw.ts"),
          "screenshot-sets/mock": path.join(root, "src/mock/index.ts"),
          "screenshot-sets": path.join(root, "src/index.ts"),
          // Helpers ask it what the document says.
          "../../src/generated/operations.js": path.join(root, "src/generated/operations.ts"),
        },
      },
      test: {
        name,
        include: ["test/client.test.ts"],
        testTimeout: 60_000,
        isolate: false,
        pool: "threads",
      },
    }));
    writeFileSync(
      config,
      `export default ${JSON.stringify({ root: repository, test: { projects, reporters: [["json", { outputFile: results }]] } })};`,
    );
    execFileSync(process.execPath, [vitest, "run", "--config", config], {
      cwd: repository,
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
      stdio: "pipe",
    });
    return JSON.parse(readFileSync(results, "utf8"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
