import { readdirSync } from "node:fs";
import { drawCharts } from "./charts.js";
import { installPeers } from "./contestants.js";
import type { Part } from "./part.js";
import { writeReadme } from "./readme.js";
import { keep, keptResults, section, writePage } from "./results.js";

const names = readdirSync(new URL("parts/", import.meta.url))
  .map((file) => file.replace(/\.ts$/, ""))
  .sort();
const asked = process.argv.slice(2);
/** Not the name of a part: it only rewrites what is written about the results. */
const onlyPage = "page";
const unknown = asked.filter((name) => name !== onlyPage && !names.includes(name));

if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(", ")}. The parts are ${names.join(", ")}.`);
  process.exitCode = 2;
} else {
  installPeers();
  for (const name of asked.length > 0 ? asked.filter((name) => name !== onlyPage) : names) {
    const { part } = (await import(new URL(`parts/${name}.ts`, import.meta.url).href)) as { part: Part };
    const findings = await part.run();
    if (findings) console.log(`\n${section(keep(part, findings))}`);
  }
  const results = keptResults();
  await drawCharts(results);
  writePage(results);
  writeReadme(results);
}
