import type { Result } from "../part.js";
import { geometricMean, type Outcome } from "../waiting/outcome.js";
import { base, colour, colours, own } from "./look.js";

/** Where each contestant stands between many polls and late ends; along a dashed line, polls × lateness is the same. */
export function pollsAgainstLateness({ points = [] }: Result): object {
  const outcomes = points as unknown as (Outcome & { name: string })[];
  const names = [...new Set(outcomes.map(({ name }) => name))];
  const means = names.map((name) => {
    const its = outcomes.filter((outcome) => outcome.name === name);
    const mean = (read: (outcome: Outcome) => number) => geometricMean(its.map(read));
    return { name, polls: mean(({ looks }) => looks), lateness: mean(({ lateness }) => lateness) };
  });
  const values = mergedByPlace(means).map((point) => ({ ...point, isOwn: point.name.startsWith(own) }));
  const [width, height] = [620, 400];
  const widened = (numbers: number[]) => [Math.min(...numbers) / 1.6, Math.max(...numbers) * 1.6];
  const domains = {
    x: widened(means.map(({ polls }) => polls)),
    y: widened(means.map(({ lateness }) => lateness)),
  };
  const [left = 1, right = 1] = domains.x;
  const [low = 1, high = 1] = domains.y;
  const lines = [
    { product: 0.3, labelled: 0.02 },
    { product: 1, labelled: 0.04 },
  ].map(({ product, labelled }) => {
    const [from, to] = [Math.max(left, product / high), Math.min(right, product / low)];
    const ends = { from, to, fromHigh: product / from, toLow: product / to };
    return { ...ends, product, labelled, middle: product / labelled };
  });
  const span = ([from = 1, to = 1]: number[]) => Math.log(to / from);
  const at = (x: string, y: string) => ({ x: { scale: "x", field: x }, y: { scale: "y", field: y } });
  const axis = { grid: true, tickCount: 6, titlePadding: 10 };
  return {
    ...base("Waiting for a job: how often it is asked for, and how late its end is seen", width, height),
    // Text that is placed by its right end would be given room to the right as well.
    autosize: "none",
    padding: { left: 74, right: 16, top: 46, bottom: 56 },
    data: [
      { name: "points", values },
      { name: "lines", values: lines },
    ],
    scales: [
      { name: "x", type: "log", domain: domains.x, range: "width" },
      { name: "y", type: "log", domain: domains.y, range: "height" },
    ],
    axes: [
      { ...axis, scale: "x", orient: "bottom", title: "polls a job", values: [5, 10, 20, 50, 100] },
      {
        ...axis,
        ...{ scale: "y", orient: "left", title: "lateness, share of the job's duration", format: "%" },
        values: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5],
      },
    ],
    marks: [
      {
        type: "rule",
        from: { data: "lines" },
        encode: {
          enter: {
            ...at("from", "fromHigh"),
            x2: { scale: "x", field: "to" },
            y2: { scale: "y", field: "toLow" },
            stroke: { value: colours.peer },
            strokeDash: { value: [4, 4] },
            strokeOpacity: { value: 0.6 },
          },
        },
      },
      {
        name: "dots",
        type: "symbol",
        from: { data: "points" },
        encode: { enter: { ...at("polls", "lateness"), size: { value: 90 }, fill: colour } },
      },
      {
        type: "text",
        from: { data: "lines" },
        encode: {
          enter: {
            ...at("middle", "labelled"),
            dy: { value: 14 },
            angle: { value: (Math.atan2(height / span(domains.y), width / span(domains.x)) * 180) / Math.PI },
            align: { value: "center" },
            fontSize: { value: 12 },
            fill: { value: colours.peer },
            text: { signal: "'polls × lateness = ' + datum.product" },
          },
        },
      },
      {
        // Away from the nearer side, where there is room for it.
        type: "text",
        from: { data: "dots" },
        encode: {
          enter: {
            x: { field: "x" },
            y: { field: "y" },
            dx: { signal: "datum.x > width / 2 ? -9 : 9" },
            align: { signal: "datum.x > width / 2 ? 'right' : 'left'" },
            baseline: { value: "middle" },
            text: { field: "datum.name" },
            fontSize: { value: 12 },
            fill: { signal: `datum.datum.isOwn ? '${colours.own}' : '${colours.text}'` },
          },
        },
      },
    ],
  };
}

/** Contestants that stand at the same place share a point. */
function mergedByPlace<Point extends { name: string; polls: number; lateness: number }>(
  points: Point[],
): Point[] {
  const places = new Map<string, Point>();
  for (const point of points) {
    const place = `${point.polls.toPrecision(3)} ${point.lateness.toPrecision(3)}`;
    const there = places.get(place);
    places.set(place, there ? { ...there, name: `${there.name}, ${point.name}` } : point);
  }
  return [...places.values()];
}
