/** This package, whose marks stand out. */
export const own = "screenshot-sets";
export const colours = {
  own: "#0b5fcc",
  peer: "#7a828e",
  limit: "#c9ced6",
  text: "#2b3038",
  grid: "#e4e7eb",
};
/** The colour of a mark, by contestant. */
export const colour = {
  signal: `datum.isOwn ? '${colours.own}' : datum.isLimit ? '${colours.limit}' : '${colours.peer}'`,
};

/** The common settings of all charts. Their white background is also legible on a dark page. */
export const base = (title: string, width: number, height: number) => ({
  $schema: "https://vega.github.io/schema/vega/v6.json",
  background: "white",
  padding: 16,
  width,
  height,
  title: { text: title, anchor: "start", offset: 12 },
  config: {
    title: { color: colours.text, fontSize: 15 },
    axis: {
      domainColor: colours.grid,
      gridColor: colours.grid,
      labelColor: colours.text,
      tickColor: colours.grid,
      titleColor: colours.text,
      titleFontWeight: "normal",
      labelFontSize: 12,
      titleFontSize: 12,
    },
    style: { "guide-title": { fontSize: 12 } },
  },
});
