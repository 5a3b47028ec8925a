import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { temporaryFolder } from "../helpers/temporary-folder.js";

/** The shell script of a step of a workflow, and the values of its environment that no expression gives. */
function stepOf(workflow: string, name: string) {
  const text = readFileSync(new URL(`../../.github/workflows/${workflow}`, import.meta.url), "utf8");
  const step = text.split(`name: ${name}\n`)[1]?.split(/^ {6}- |^ {2}\w/m)[0] ?? "";
  const script = /^ {8}run: \|\n((?: {10}.*\n|\n)+)/m.exec(step)?.[1] ?? "";
  const environment = [...step.matchAll(/^ {10}([A-Z_]+): ([^$\n]+)$/gm)].map(([, key, value]) => [
    key,
    value,
  ]);
  return { script, environment: Object.fromEntries(environment) as Record<string, string> };
}

const folder = temporaryFolder(afterAll);
const [bin, log, output, summary] = ["bin", "gh.txt", "output.txt", "summary.txt"].map((name) =>
  path.join(folder, name),
) as [string, string, string, string];
mkdirSync(bin);
// In place of `gh`, a program that writes down what it is asked.
writeFileSync(
  path.join(bin, "gh"),
  `#!/bin/sh\nprintf '%s|' "$@" >> "${log}"; echo >> "${log}"\n[ "$1 $2" = "issue list" ] && echo "$OPEN_ISSUE"\ntrue\n`,
  { mode: 0o755 },
);
cpSync(new URL("../../.ci/issue", import.meta.url), path.join(folder, ".ci/issue"));

/** Runs a step as the workflow does. */
function run(workflow: string, name: string, own: Record<string, string>) {
  for (const file of [log, output, summary]) writeFileSync(file, "");
  const { script, environment } = stepOf(workflow, name);
  expect(script).not.toBe("");
  const { status, stdout } = spawnSync("bash", ["-e", "-o", "pipefail", "-c", script], {
    cwd: folder,
    encoding: "utf8",
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
      RUN: "https://example.com/run/7",
      ...environment,
      ...own,
    },
  });
  const read = (file: string) => readFileSync(file, "utf8");
  return { exitCode: status, asked: read(log), stdout, output: read(output), summary: read(summary) };
}

const [drift, alarm] = ["Say whether it differs", "Say whether it could be asked"];

test.each<[string, string, Record<string, string>, string]>([
  ["regenerate.yml", "Keep the issue", { RESULT: "success" }, "close"],
  ["regenerate.yml", "Keep the issue", { RESULT: "failure" }, "open"],
  ["regenerate.yml", "Keep the issue", { RESULT: "skipped" }, "open"],
  ["verify.yml", drift, { VERDICT: "differs", TEXT: "    no key  differs" }, "open"],
  ["verify.yml", drift, { VERDICT: "in step", TEXT: "" }, "close"],
  ["verify.yml", drift, { VERDICT: "unclear", TEXT: "    Nobody answers" }, "leave"],
  ["verify.yml", drift, { VERDICT: "", TEXT: "" }, "leave"],
  ["verify.yml", alarm, { RESULT: "failure", VERDICT: "unclear", TEXT: "    Nobody answers" }, "open"],
  ["verify.yml", alarm, { RESULT: "cancelled", VERDICT: "", TEXT: "" }, "open"],
  ["verify.yml", alarm, { RESULT: "success", VERDICT: "differs", TEXT: "    no key  differs" }, "close"],
  ["verify.yml", alarm, { RESULT: "success", VERDICT: "in step", TEXT: "" }, "close"],
  // Without a key, nothing is asked.
  ["verify.yml", alarm, { RESULT: "success", VERDICT: "", TEXT: "" }, "leave"],
])("%s, %s, %o: the issue is to %s", (workflow, step, environment, deed) => {
  const { TITLE } = stepOf(workflow, step).environment;
  const after = (OPEN_ISSUE: string) => {
    const { exitCode, asked } = run(workflow, step, { ...environment, OPEN_ISSUE });
    expect(exitCode).toBe(0);
    const search = `issue|list|--state|open|--search|in:title "${TITLE}"|--json|number|--jq|.[0].number // empty|\n`;
    if (deed === "leave") expect(asked).toBe("");
    else expect(asked.startsWith(search)).toBe(true);
    return asked.slice(search.length);
  };
  const [ofNone, ofOpen] = [after(""), after("5")];
  const begins = {
    leave: ["", ""],
    close: ["", "issue|close|5|--comment|"],
    open: [`issue|create|--title|${TITLE}|--body|`, "issue|edit|5|--body|"],
  }[deed] as [string, string];
  expect([ofNone.slice(0, begins[0].length), ofOpen.slice(0, begins[1].length)]).toEqual(begins);
  for (const asked of [ofNone, ofOpen].filter(Boolean)) expect(asked).toContain("https://example.com/run/7");
  if (deed === "open") expect(ofNone).toContain(environment.TEXT ?? "");
});

/** Puts a program in the place of the built one. */
function build(exitCode: number, lines: string[]): void {
  mkdirSync(path.join(folder, "dist/cli"), { recursive: true });
  const program = `console.log(${JSON.stringify(lines.join("\n"))}); console.error("END"); process.exitCode = ${exitCode};`;
  writeFileSync(path.join(folder, "dist/cli/main.js"), program);
}

const compare = "Compare it with the document and the mock";
const rows = ["no key   401  differs from the document", "a set {} 400  the mock is right"];

test.each([
  { code: 0, last: "Nothing differs from the document.", exitCode: 0, verdict: "in step", told: [] },
  { code: 0, last: "1 row differs, and breaks nothing.", exitCode: 0, verdict: "in step", told: [] },
  { code: 1, last: "1 row differs from the document.", exitCode: 0, verdict: "differs", told: [rows[0]] },
  { code: 3, last: "2 rows differ from the document.", exitCode: 0, verdict: "differs", told: [rows[0]] },
  { code: 2, last: "", exitCode: 2, verdict: "unclear", told: [] },
  {
    code: 3,
    last: "No difference was seen, but not all could be asked.",
    exitCode: 3,
    verdict: "unclear",
    told: [],
  },
  {
    code: 4,
    last: "No difference was seen, but not all could be asked.",
    exitCode: 4,
    verdict: "unclear",
    told: [],
  },
])(
  "exit code $code of verify with the words $last means: $verdict",
  ({ code, last, exitCode, verdict, told }) => {
    build(code, [...rows, "", last]);
    const ended = run("verify.yml", compare, { SCREENSHOT_SETS_API_KEY: "ss_live_key" });
    expect(ended.exitCode).toBe(exitCode);
    // No line of what verify says could end the text, be a command to the runner or Markdown.
    const text = [...told, "END"].map((line) => `    ${line}\n`).join("");
    expect(ended.output).toBe(`verdict=${verdict}\ntext<<END\n${text}END\n`);
    expect(ended.stdout).toBe("");
    expect(ended.summary).toBe([...rows, "", last, "END"].map((line) => `    ${line}\n`).join(""));
  },
);

test("where no key is given, nothing is asked", () => {
  build(1, rows);
  expect(run("verify.yml", compare, { SCREENSHOT_SETS_API_KEY: "" })).toMatchObject({
    exitCode: 0,
    output: "",
    summary: "",
  });
});
