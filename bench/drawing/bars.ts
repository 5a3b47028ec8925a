import type { Result } from "../part.js";
import { base, colour, colours, own } from "./look.js";

/** A bar for each row of a result's table, shortest first. The bars of limits are pale. */
export function bars(title: string, { rows, columns, limits = [] }: Result, column: number): object {
  const values = rows
    .map(([name, ...cells]) => ({
      name: limits.includes(String(name)) ? `${name} (the limit)` : name,
      value: cells[column - 1],
      isOwn: String(name).startsWith(own),
      isLimit: limits.includes(String(name)),
    }))
    .filter(({ value }) => typeof value === "number");
  return {
    ...base(`${title}: ${columns[column]?.replace(/^and /, "")}`, 460, 26 * values.length),
    data: [{ name: "rows", values, transform: [{ type: "collect", sort: { field: "value" } }] }],
    scales: [
      { name: "x", type: "linear", domain: { data: "rows", field: "value" }, range: "width", zero: true },
      { name: "y", type: "band", domain: { data: "rows", field: "name" }, range: "height", padding: 0.25 },
    ],
    axes: [{ scale: "y", orient: "left", ticks: false, labelPadding: 8, labelLimit: 240, domain: false }],
    marks: [
      {
        type: "rect",
        from: { data: "rows" },
        encode: {
          enter: {
            x: { scale: "x", value: 0 },
            x2: { scale: "x", field: "value" },
            y: { scale: "y", field: "name" },
            height: { scale: "y", band: 1 },
            fill: colour,
          },
        },
      },
      {
        type: "text",
        from: { data: "rows" },
        encode: {
          enter: {
            x: { scale: "x", field: "value", offset: 6 },
            y: { scale: "y", field: "name", band: 0.5 },
            baseline: { value: "middle" },
            fontSize: { value: 12 },
            text: { signal: "format(datum.value, '.3~r')" },
            fill: { value: colours.text },
          },
        },
      },
    ],
  };
}
