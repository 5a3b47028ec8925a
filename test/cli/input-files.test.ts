import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { temporaryFolder } from "../helpers/temporary-folder.js";
import { run, serve } from "./run.js";

const content = {
  FILE: JSON.stringify({
    apps: { de: { iosUrl: "https://apps.apple.com/de/app/id1", extraContext: "für Ärzte" } },
    sets: { "de/iphone": { app: "de", device: "iphone-69" } },
  }),
  "--env-file": "SCREENSHOT_SETS_API_KEY=ss_live_für\n",
  "--recorded": JSON.stringify({
    version: 1,
    refusals: { getJob: { notFound: { status: 410, text: "für" } } },
  }),
};
const commands: [typed: string, file: keyof typeof content, args: string[]][] = [
  ["", "FILE", ["batch"]],
  ["--env-file ", "--env-file", ["job", "job_1", "--env-file"]],
  ["--recorded ", "--recorded", ["verify", "--recorded"]],
  ["--recorded ", "--recorded", ["mock", "--recorded"]],
];
const spellings: [what: string, write: (text: string) => Uint8Array, says: string][] = [
  ["Windows-1252", (text) => Buffer.from(text, "latin1"), "it is not UTF-8"],
  ["UTF-16, as PowerShell writes it", (text) => Buffer.from(`\ufeff${text}`, "utf16le"), "it is UTF-16"],
  [
    "UTF-16 with its bytes swapped",
    (text) => Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
    "it is UTF-16",
  ],
  ["UTF-16 without a mark", (text) => Buffer.from(text, "utf16le"), "it holds a NUL"],
  ["UTF-8 with a NUL", (text) => Buffer.from(`${text}\0`), "it holds a NUL"],
];

const cases = commands.flatMap(([typed, name, args]) =>
  spellings.map(([what, write, says]) => ({ args, what, typed, says, bytes: write(content[name]) })),
);

test.each(cases)("$args refuses a file in $what, and sends nothing", async ({ args, typed, says, bytes }) => {
  const { mock, environment } = await serve();
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, bytes);
  // Without `--`, Node itself reads an `--env-file`, before the command begins.
  const { code, stdout, stderr } = await run([inject("command"), ...args, file], environment, "--");
  expect({ code, stdout, sent: mock.requests() }).toEqual({ code: 2, stdout: "", sent: [] });
  expect(stderr).toMatch(new RegExp(`^Cannot use ${typed}${file}: ${says}\\. Save it as UTF-8\\.\n`));
});
