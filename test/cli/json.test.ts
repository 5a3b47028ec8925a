import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setCost } from "screenshot-sets";
import type { Mock } from "screenshot-sets/mock";
import { expect, inject, test } from "vitest";
import { textOf } from "../helpers/samples.js";
import { temporaryFolder } from "../helpers/temporary-folder.js";
import { accept, leastFlags, listing, run, serve } from "./run.js";

const page = textOf("docs/command-line.md");

interface Field {
  types: string[];
  isRequired: boolean;
}

/** The fields that a section of the page names. */
function fieldsOf(section: string): Map<string, Field> {
  const [, text = ""] = page.split(`\n### ${section}\n`);
  const rows = text.split(/\n##/)[0]?.matchAll(/^\| `(\w+)` \| (.*?) \| (.*?) ?\|$/gm) ?? [];
  return new Map(
    [...rows].map(([, name = "", type = "", missing]) => {
      const words = type.replaceAll("**", "").split(/[:,] (?!null)| of /)[0] ?? "";
      return [name, { types: words.split(", "), isRequired: missing === "" }];
    }),
  );
}

function typeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

interface Scene {
  typed: string[];
  code: number;
  /** What happens before. */
  before?(mock: Mock): unknown;
  /** FILE of a batch. */
  file?: { apps?: object; sets: Record<string, object> };
  /** What is typed before. */
  first?: string[];
}

const operation = "createScreenshots";
const set = { appId: "app_1", device: "iphone-69" };
const anApp = ["--app-id", "app_1", "--device", "iphone-69"];
const noApp = ["--app-id", "app_9", "--device", "iphone-69"];
const mixed = { refused: { ...set, appId: "app_9" }, failed: set, lost: set, planned: set, dear: set };
const mix = (mock: Mock) => {
  mock.nextJob({ outcome: "failed" });
  mock.fault("reset", { operation, skip: 2 });
};
const mixOnce = ["--concurrency", "1", "--max-credits", String(3 * setCost)];

const scenes: Record<string, Scene[]> = {
  "`create`": [
    { typed: ["create", ...leastFlags], code: 0 },
    { typed: ["create", ...anApp], code: 0 },
  ],
  "`create --no-wait`": [
    { typed: ["create", ...leastFlags, "--no-wait"], code: 0 },
    { typed: ["create", ...anApp, "--no-wait"], code: 0 },
  ],
  "`wait` and `job`": [
    { typed: ["job", "job_1"], code: 0 },
    { typed: ["wait", "job_1"], code: 0 },
    { typed: ["job", "job_1"], code: 0, before: (mock) => mock.jobs.fail("job_1") },
  ],
  "`batch`, and `create` with several devices, `--state` or `--max-credits`": [
    { typed: ["batch", "FILE", ...mixOnce], code: 3, file: { sets: mixed }, before: mix },
    { typed: ["batch", "FILE", "--timeout", "0"], code: 3, file: { sets: { waits: set } } },
    { typed: ["create", ...listing, "--device", "iphone-69", "--device", "ipad-pro"], code: 0 },
  ],
  "`batch --dry-run`": [
    {
      typed: ["batch", "FILE", "--dry-run", "--max-credits", String(setCost)],
      code: 0,
      file: {
        apps: { us: { iosUrl: listing[1] } },
        sets: { one: { app: "us", device: "iphone-69" }, two: set },
      },
    },
    {
      typed: ["batch", "FILE", "--dry-run"],
      code: 0,
      file: { sets: { waits: set } },
      first: ["batch", "FILE", "--timeout", "0"],
    },
  ],
  "`verify`": [{ typed: ["verify"], code: 0 }],
  "An error": [
    { typed: ["wait"], code: 2 },
    { typed: ["wait", "job_1"], code: 1, before: (mock) => mock.jobs.fail("job_1") },
    {
      typed: ["wait", "job_1", "--timeout", "0.2"],
      code: 3,
      before: (mock) => mock.fault({ latencyMs: 5_000 }),
    },
    { typed: ["create", ...noApp], code: 1 },
    { typed: ["create", ...anApp], code: 3, before: (mock) => mock.fault("malformed", { operation }) },
    {
      typed: ["create", ...anApp],
      code: 3,
      before: (mock) => mock.fault("reset", { operation, when: "after" }),
    },
    {
      typed: ["create", ...anApp],
      code: 1,
      before: (mock) =>
        mock.fault({ status: 429, retryAfter: 90, headers: { "x-request-id": "r" } }, { operation }),
    },
    { typed: ["job", "job_9"], code: 1 },
  ],
};

/** Runs a command with `--json`. Gives the values that it printed. */
async function printed({ typed, code, before, file, first }: Scene): Promise<Record<string, unknown>[]> {
  const { mock, environment } = await serve({ allowance: 1_000 });
  await accept(mock);
  before?.(mock);
  const path = join(temporaryFolder(), "sets.json");
  writeFileSync(path, JSON.stringify({ ...file }));
  const withPath = (args: string[]) => args.map((word) => (word === "FILE" ? path : word));
  if (first) await run(withPath(first), environment);
  const ended = await run([...withPath(typed), "--json"], environment);
  expect(ended.code, ended.stderr).toBe(code);
  return valuesIn(ended.stdout);
}

/** The values that were printed: each line is one, or all lines are. An error stands in an object of its own. */
function valuesIn(stdout: string): Record<string, unknown>[] {
  const isLines = stdout.startsWith('{"');
  const values = isLines
    ? stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
    : [JSON.parse(stdout)].flat();
  return values.map((value) => (Object.keys(value).join() === "error" ? value.error : value));
}

test.each(Object.entries(scenes))("what the page says of %s is what --json prints", async (section, all) => {
  const fields = fieldsOf(section);
  const seen = new Set<string>();
  for (const scene of all) {
    for (const value of await printed(scene)) {
      for (const [name, { isRequired }] of fields) if (isRequired) expect(Object.keys(value)).toContain(name);
      for (const [name, part] of Object.entries(value)) {
        expect(fields.get(name)?.types, `${name} of ${JSON.stringify(value)}`).toContain(typeOf(part));
        seen.add(name);
      }
    }
  }
  const unseen = [...fields.keys()].filter((name) => !seen.has(name));
  expect(unseen).toEqual([]);
});

const hasJq = spawnSync("jq", ["--version"]).status === 0;
if (!hasJq) process.stdout.write("Left out the script of docs/command-line.md: there is no jq.\n");

test.skipIf(!hasJq).each([
  ["that the budget had no room for ends with 0", {}, 0],
  ["that was refused ends with 1", { refused: { ...set, appId: "app_9" } }, 1],
])("the page's script of a batch with a set %s", async (_, refused, code) => {
  const { mock, environment } = await serve({ allowance: 1_000 });
  await accept(mock);
  const folder = temporaryFolder();
  writeFileSync(join(folder, "sets.json"), JSON.stringify({ sets: { ...refused, one: set, two: set } }));
  const [script = ""] = /(?<=```sh\n)screenshot-sets batch.*?(?=```)/s.exec(page) ?? [];
  const command = `screenshot-sets() { "${process.execPath}" "${inject("command")}" "$@"; }`;
  const child = spawn("bash", ["-c", `${command}\n${script.replace("250", String(setCost))}`], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment },
    stdio: "ignore",
  });
  expect(await once(child, "close")).toEqual([code, null]);
});
