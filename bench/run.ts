import { readdirSync } from "node:fs";
import { installPeers } from "./contestants.js";
import type { Part } from "./part.js";
import { keep, section, writePage } from "./results.js";

const names = readdirSync(new URL("parts/", import.meta.url))
  .map((file) => file.replace(/\.ts$/, ""))
  .sort();
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !names.includes(name));

if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(", ")}. The parts are ${names.join(", ")}.`);
  process.exitCode = 2;
} else {
  installPeers();
  for (const name of asked.length > 0 ? asked : names) {
    const { part } = (await import(new URL(`parts/${name}.ts`, import.meta.url).href)) as { part: Part };
    console.log(`\n${section(keep(part, await part.run()))}`);
  }
  writePage(names);
}
