import { readFileSync, writeFileSync } from "node:fs";
import { chartOf } from "./charts.js";
import { own } from "./drawing/look.js";
import type { Result } from "./part.js";
import { shown } from "./results.js";

// The README shows some of the figures, between two marks. They are written there from the kept results.

const readme = new URL("../README.md", import.meta.url);
const block = /(?<=<!-- measurements.*-->\n)[\s\S]*(?=\n<!-- \/measurements -->)/;

/** The package's foundation. It is not a peer, but the lower bound for the package. */
const floor = "openapi-fetch";
const peers = ["replicate", "openai", "stripe"];

interface Measure {
  /** The part whose result contains the figure. */
  part: string;
  title: string;
  /** The figure of a contestant. */
  cell(result: Result, name: string): string | number | undefined;
}

/** Returns the cell in a contestant's row. */
const inColumn = (column: number) => (result: Result, name: string) =>
  result.rows.find(([first]) => first === name)?.[column];

const measures: Measure[] = [
  { part: "import", title: "import, ms", cell: inColumn(1) },
  { part: "size", title: "a client and one call, minified and gzipped, kB", cell: inColumn(2) },
  { part: "calls", title: "CPU of a call over loopback HTTP, ÷ bare `fetch`", cell: inColumn(2) },
  {
    part: "calls",
    title: "requests a second over loopback HTTP, 64 connections",
    cell(result, name) {
      if (name !== own) return inColumn(5)(result, name);
      const [first, onUndici] = [own, `${own} on undici`].map((row) => inColumn(5)(result, row));
      return `${shown(first ?? "")}, and ${shown(onUndici ?? "")} on undici`;
    },
  },
  {
    part: "polls",
    title: "waiting, polls × lateness; the less the better",
    cell({ columns, rows: [means = []] }, name) {
      const [first, learned] = columns.flatMap((column, index) =>
        column.startsWith(name) ? [means[index] ?? ""] : [],
      );
      return learned === undefined ? first : `${shown(first ?? "")}, and ${shown(learned)} after 100 jobs`;
    },
  },
  {
    part: "waits",
    title: "heap for each of 10,000 waits, bytes",
    cell: (result, name) => result.rows.find(([first, count]) => first === name && count === 10_000)?.[2],
  },
];

/** The README's text with the figures of these results. */
export function withMeasurements(text: string, results: Result[]): string {
  const contestants = [own, floor, ...peers];
  const resultOf = (part: string) => results.find(({ name }) => name === part);
  const rows = measures.flatMap(({ part, title, cell }) => {
    const result = resultOf(part);
    return result ? [[title, ...contestants.map((name) => shown(cell(result, name) ?? ""))]] : [];
  });
  const heads = contestants.map((name) => (name === floor ? `${name}, the floor` : name));
  const table = [["", ...heads], ["---", ...contestants.map(() => "---:")], ...rows];
  const charts = ["polls", "import", "size"].map(resultOf).flatMap((result) => {
    return result ? [`![${result.title}](bench/${chartOf(result.name)})`] : [];
  });
  const lines = table.map((cells) => `| ${cells.join(" | ")} |`);
  return text.replace(block, () => ["", ...lines, "", charts.join(" "), ""].join("\n"));
}

export function writeReadme(results: Result[]): void {
  writeFileSync(readme, withMeasurements(readFileSync(readme, "utf8"), results));
}
