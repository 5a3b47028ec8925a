import { mkdirSync, writeFileSync } from "node:fs";
import { peer } from "./contestants.js";
import { bars } from "./drawing/bars.js";
import { placedPolls } from "./drawing/placed-polls.js";
import { pollsAgainstLateness } from "./drawing/polls-against-lateness.js";
import type { Result } from "./part.js";

/** The part of https://vega.github.io/vega that is used. */
interface Vega {
  parse(chart: object): object;
  View: new (runtime: object, options: { renderer: "none" }) => { toSVG(): Promise<string> };
}

/** The charts, by the part whose result they show. */
const charts: Record<string, (result: Result) => object> = {
  calls: (result) => bars("Calls over loopback HTTP", result, 5),
  polls: pollsAgainstLateness,
  import: (result) => bars("A cold start", result, 1),
  size: (result) => bars("A client and one call", result, 2),
};

/** The path of a result's chart in this folder, if it has one. */
export function chartOf(name: string): string | undefined {
  return name in charts ? `charts/${name}.svg` : undefined;
}

/** Draws the chart of each result that has one, and the picture of `docs/learning.md`, which shows no measurement. */
export async function drawCharts(results: Result[]): Promise<void> {
  const vega = await peer<Vega>("vega");
  mkdirSync(new URL("charts/", import.meta.url), { recursive: true });
  const draw = async (path: string, chart: object) => {
    const svg = await new vega.View(vega.parse(chart), { renderer: "none" }).toSVG();
    writeFileSync(new URL(path, import.meta.url), `${svg}\n`);
  };
  for (const result of results) {
    const [path, chart] = [chartOf(result.name), charts[result.name]?.(result)];
    if (path && chart) await draw(path, chart);
  }
  await draw("../docs/learning.svg", placedPolls());
}
