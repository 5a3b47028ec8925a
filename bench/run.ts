import { writeFileSync } from "node:fs";
import { installPeers } from "./contestants.js";
import { goalsOf, loadOverAMinute, type Measured, pageOf, sectionOf } from "./page.js";
import type { Part } from "./part.js";
import { batch } from "./parts/batch.js";
import { calls } from "./parts/calls.js";
import { imports } from "./parts/imports.js";
import { mock } from "./parts/mock.js";
import { polls } from "./parts/polls.js";
import { postgres } from "./parts/postgres.js";
import { size } from "./parts/size.js";
import { waits } from "./parts/waits.js";

const parts: Record<string, Part> = { calls, waits, polls, imports, mock, batch, postgres, size };
const names = Object.keys(parts);
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !names.includes(name));

if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(", ")}. The parts are ${names.join(", ")}.`);
  process.exitCode = 2;
} else {
  installPeers();
  const before = loadOverAMinute();
  const measured: Measured[] = [];
  for (const [name, { title, measure }] of Object.entries(parts)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    const one = { name, title, ...(await measure()) };
    console.log(`\n${sectionOf(one)}`);
    measured.push(one);
  }
  console.log(`\n${goalsOf(measured)}`);
  // A page is of one run: parts of several runs would not have been measured under the same circumstances.
  if (asked.length === 0) {
    const page = pageOf(measured, [before, loadOverAMinute()]);
    writeFileSync(new URL("RESULTS.md", import.meta.url), page);
  }
}
